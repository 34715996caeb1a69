"""The operators for Python, by theme. Each looks at one node and proposes edits; whether they compile is seen later."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from envbounty.verify.mutants.model import Draft
from envbounty.verify.mutants.operators import bounds, branches, calls, constants, inputs, loops, numbers, order, state
from envbounty.verify.mutants.text import Tree

Operator = Callable[[Tree, ast.AST], Iterator[Draft]]

OPERATORS: tuple[Operator, ...] = (
    branches.drafts,
    bounds.drafts,
    order.drafts,
    inputs.drafts,
    loops.drafts,
    numbers.drafts,
    constants.drafts,
    calls.drafts,
    state.drafts,
)
