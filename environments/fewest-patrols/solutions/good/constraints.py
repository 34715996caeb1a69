"""Difference constraints: seen[x] patrols before minute x; the least solution is a longest path."""


def in_sector(shifts):
    marks = sorted({shift[0] for shift in shifts} | {shift[1] + 1 for shift in shifts})
    place = {mark: index for index, mark in enumerate(marks)}
    wanted = [[] for _ in marks]
    for start, end, need in shifts:
        wanted[place[end + 1]].append((place[start], need))
    seen = [0] * len(marks)
    changed = True
    while changed:
        changed = False
        for here in range(1, len(marks)):
            least = max([seen[here - 1]] + [seen[there] + need for there, need in wanted[here]])
            if least > seen[here]:
                seen[here] = least
                changed = True
        for here in range(len(marks) - 2, -1, -1):
            # Between two marks there is at most one patrol a minute.
            least = seen[here + 1] - (marks[here + 1] - marks[here])
            if least > seen[here]:
                seen[here] = least
                changed = True
    return seen[-1] - seen[0] if seen else 0


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
