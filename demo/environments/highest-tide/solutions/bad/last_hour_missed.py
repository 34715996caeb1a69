# does not look at the last hour
def highest_tide(levels):
    return levels.index(max(levels[:-1]))
