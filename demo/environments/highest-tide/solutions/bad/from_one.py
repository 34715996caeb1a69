# counts the hours from 1
def highest_tide(levels):
    return levels.index(max(levels)) + 1
