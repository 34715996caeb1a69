# wrong: takes the end of a shift as not part of it, unless the shift would be too short
def in_sector(shifts):
    patrols = set()
    for start, end, need in sorted(shifts, key=lambda shift: shift[1]):
        last = max(end - 1, start + need - 1)
        missing = need - sum(minute in patrols for minute in range(start, last + 1))
        for minute in range(last, start - 1, -1):
            if missing > 0 and minute not in patrols:
                patrols.add(minute)
                missing -= 1
    return len(patrols)


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
