def highest_tide(levels):
    return sorted(range(len(levels)), key=lambda hour: (-levels[hour], hour))[0]
