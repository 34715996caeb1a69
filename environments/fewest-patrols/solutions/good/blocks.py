"""Greedy by end over runs of neighbouring minutes: the cost depends on the number of shifts only."""

from bisect import bisect_left


def in_sector(shifts):
    firsts, lasts, before = [-1], [-1], [0]  # a sentinel run at minute -1; before[i]: patrols in earlier runs
    total = 0
    for start, end, need in sorted(shifts, key=lambda shift: (shift[1], -shift[0])):
        have = 0
        run = bisect_left(lasts, start)
        if run < len(lasts):
            have = total - before[run] - max(0, start - firsts[run])
        missing = need - have
        if missing <= 0:
            continue
        total += missing
        first = end + 1
        while missing:
            step = min(missing, first - 1 - lasts[-1])
            first -= step
            missing -= step
            if first - 1 == lasts[-1] and len(lasts) > 1:
                first = firsts.pop()
                lasts.pop()
                before.pop()
        firsts.append(first)
        lasts.append(end)
        before.append(total - (end - first + 1))
    return total


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
