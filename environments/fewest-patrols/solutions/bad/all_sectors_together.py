# wrong: plans all sectors as one, then answers with a single number
def fewest_patrols(sectors):
    patrols = set()
    for start, end, need in sorted((s for shifts in sectors for s in shifts), key=lambda shift: shift[1]):
        missing = need - len(patrols.intersection(range(start, end + 1)))
        while missing > 0:
            if end not in patrols:
                patrols.add(end)
                missing -= 1
            end -= 1
    return len(patrols)
