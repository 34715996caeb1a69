# wrong: lets any number of patrols walk in the same minute
from bisect import bisect_left


def in_sector(shifts):
    patrols = []
    for start, end, need in sorted(shifts, key=lambda shift: shift[1]):
        missing = need - (len(patrols) - bisect_left(patrols, start))
        patrols += [end] * missing
    return len(patrols)


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
