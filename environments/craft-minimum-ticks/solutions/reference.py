"""A fastest plan by A*."""

from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance)
    return plan
