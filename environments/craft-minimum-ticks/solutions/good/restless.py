"""A fastest plan in another dress: waits of one tick, and neighbouring gathers swapped.

The swap changes neither the ticks of the gathers nor what the furnace does meanwhile.
"""

from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance)
    dressed = []
    for action in plan:
        if action[0] == "wait":
            dressed += [["wait", 1] for _ in range(action[1])]
        else:
            dressed.append(action)
    for i in range(len(dressed) - 1):
        if dressed[i][0] == dressed[i + 1][0] == "gather":
            dressed[i], dressed[i + 1] = dressed[i + 1], dressed[i]
    return dressed
