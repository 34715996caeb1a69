# stops at the first hour after which the water falls
def highest_tide(levels):
    for hour in range(len(levels) - 1):
        if levels[hour + 1] < levels[hour]:
            return hour
    return len(levels) - 1
