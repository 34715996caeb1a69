# wrong: serves the shortest shifts first, as if they were the hardest
def in_sector(shifts):
    patrols = set()
    for start, end, need in sorted(shifts, key=lambda shift: shift[1] - shift[0]):
        missing = need - sum(minute in patrols for minute in range(start, end + 1))
        for minute in range(end, start - 1, -1):
            if missing > 0 and minute not in patrols:
                patrols.add(minute)
                missing -= 1
    return len(patrols)


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
