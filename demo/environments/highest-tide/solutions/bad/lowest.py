# returns the hour of the lowest level
def highest_tide(levels):
    return levels.index(min(levels))
