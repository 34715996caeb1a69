# wrong: the classic one-point-per-interval greedy: treats every need as at most 1
def in_sector(shifts):
    count, last = 0, -1
    for start, end, need in sorted(shifts, key=lambda shift: shift[1]):
        if need and start > last:
            count += 1
            last = end
    return count


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
