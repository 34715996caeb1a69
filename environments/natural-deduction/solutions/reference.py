"""The proof that the complete prover finds."""

from formulas import parse
from prover import prove


def solve(instance: dict) -> str:
    premises = [parse(line) for line in instance["premises"].split("\n")]
    return prove(premises, parse(instance["goal"]))
