# returns the level, not the hour
def highest_tide(levels):
    return max(levels)
