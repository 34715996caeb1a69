"""The prover's proof with every bracket written, odd spaces, blank lines and steps that lead nowhere."""

from formulas import Formula, parse
from prover import prove


def solve(instance: dict) -> str:
    premises = [parse(line) for line in instance["premises"].split("\n")]
    proof = prove(premises, parse(instance["goal"]))
    rows = ["1.t:assume", "  2 .  t|F  :  |I   1  ", "", "3. (t -> (t | F)) : ->I 1 2"]
    for row in proof.split("\n"):
        _, rest = row.split(".")
        formula, reason = rest.split(":")
        rule, *cited = reason.split()
        shifted = "  ".join(str(int(n) + 3) for n in cited)
        rows.append(f" {len(rows)}.{brackets(parse(formula))}:{rule}  {shifted}")
    return "\n".join(rows) + "\n\n"


def brackets(formula: Formula) -> str:
    if isinstance(formula, str):
        return formula
    if formula[0] == "~":
        return f"~({brackets(formula[1])})"
    return f"({brackets(formula[1])}{formula[0]}{brackets(formula[2])})"
