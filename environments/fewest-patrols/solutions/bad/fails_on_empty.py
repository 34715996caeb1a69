# wrong: expects at least one shift in every sector
def in_sector(shifts):
    shifts = sorted(shifts, key=lambda shift: shift[1])
    day = [0] * (shifts[-1][1] + 1)
    for start, end, need in shifts:
        missing = need - sum(day[start:end + 1])
        while missing > 0:
            missing -= 1 - day[end]
            day[end] = 1
            end -= 1
    return sum(day)


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
