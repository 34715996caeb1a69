def highest_tide(levels):
    return levels.index(max(levels))
