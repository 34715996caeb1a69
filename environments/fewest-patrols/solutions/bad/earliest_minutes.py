# wrong: puts patrols into the earliest free minutes of a shift
def in_sector(shifts):
    patrols = set()
    for start, end, need in sorted(shifts, key=lambda shift: shift[1]):
        missing = need - sum(minute in patrols for minute in range(start, end + 1))
        for minute in range(start, end + 1):
            if missing > 0 and minute not in patrols:
                patrols.add(minute)
                missing -= 1
    return len(patrols)


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
