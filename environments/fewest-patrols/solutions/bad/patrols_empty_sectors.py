# wrong: sends one patrol also to a sector that has no shifts
def in_sector(shifts):
    if not shifts:
        return 1
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
