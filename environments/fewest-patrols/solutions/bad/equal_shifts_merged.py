# wrong: keeps one need for equal shifts, whichever comes last
def in_sector(shifts):
    needs = {(start, end): need for start, end, need in shifts}
    patrols = set()
    for (start, end), need in sorted(needs.items(), key=lambda item: item[0][1]):
        missing = need - len(patrols.intersection(range(start, end + 1)))
        while missing > 0:
            if end not in patrols:
                patrols.add(end)
                missing -= 1
            end -= 1
    return len(patrols)


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
