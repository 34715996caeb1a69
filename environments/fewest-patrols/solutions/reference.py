"""Greedy by end: what a shift still lacks goes into its latest free minutes. Patrols are a sorted list."""

from bisect import bisect_left, insort


def fewest_in_sector(shifts: list[list[int]]) -> int:
    patrols: list[int] = []
    for start, end, need in sorted(shifts, key=lambda shift: shift[1]):
        # No patrol is later than the ends seen so far, so those from `start` on all lie in the shift.
        missing = need - (len(patrols) - bisect_left(patrols, start))
        taken = set(patrols)
        minute = end
        while missing > 0:
            if minute not in taken:
                insort(patrols, minute)
                missing -= 1
            minute -= 1
    return len(patrols)


def fewest_patrols(sectors: list[list[list[int]]]) -> list[int]:
    return [fewest_in_sector(shifts) for shifts in sectors]
