"""bohrin as its tutorial has it: the battery of grounded submissions, then the rewritings that must be accepted."""
# ruff: noqa: F821
# mypy: ignore-errors


def main():
    from bohrin.ir.task import Shape, Source, Task
    from bohrin.mutate.battery import battery
    from bohrin.relations import positive_controls

    given = row()
    task = Task(id="task", prompt=given["task"], reference=given["reference"], shape=Shape.PROGRAM)
    if grade(given["reference"]) is not True:
        return tell(None, "the reference is not accepted")
    candidates = [one for one in battery(task).grounded if isinstance(one.payload, Source)]
    taken = [one for one in candidates if grade(one.payload.text) is True]
    refused = [one for one in positive_controls(task) if grade(one.payload.text) is False]
    why = [f"accepts {one.provenance.operator}" for one in taken] + [f"refuses {one.relation}" for one in refused]
    if not candidates:
        return tell(None, "no submission can be grounded for this reference")
    tell(bool(why), "; ".join(why) or f"{len(candidates)} rejected", [one.payload.text for one in taken])


main()
