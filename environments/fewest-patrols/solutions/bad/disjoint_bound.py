# wrong: returns a lower bound: the best total need of shifts that don't overlap
def in_sector(shifts):
    best = [0] * 1441  # best[x]: over shifts that end before minute x
    by_end = {}
    for start, end, need in shifts:
        by_end.setdefault(end, []).append((start, need))
    for minute in range(1440):
        options = [best[start] + need for start, need in by_end.get(minute, [])]
        best[minute + 1] = max([best[minute], *options])
    return best[1440]


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
