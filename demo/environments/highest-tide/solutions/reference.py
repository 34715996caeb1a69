def highest_tide(levels):
    best = 0
    for hour, level in enumerate(levels):
        if level > levels[best]:
            best = hour
    return best
