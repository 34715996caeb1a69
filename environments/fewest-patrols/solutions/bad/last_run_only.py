# wrong: remembers only the latest run of patrols and forgets the ones before a gap
def in_sector(shifts):
    total, first, last = 0, 0, -1
    for start, end, need in sorted(shifts, key=lambda shift: shift[1]):
        missing = need - max(0, last - max(first, start) + 1)
        if missing <= 0:
            continue
        total += missing
        if end - last >= missing + (end > last):
            first = end - missing + 1
        else:
            first -= missing - (end - last)
        last = end
    return total


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
