"""Where in the author's code a finding is about: a line to show it beside. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from envbounty.environment import Environment
from envbounty.findings import Finding
from envbounty.verify.rules import RULES

#: What the rules of a phase are about, where that is not check().
ABOUT = {"generator": "generate", "spread": "generate"}


class Places:
    """The functions of an environment's entry file."""

    def __init__(self, env: Environment) -> None:
        self._entry = env.entry
        self._judge = env.spec.grader.function if env.spec.grader else "check"
        self._lines = lines_of(env.code.get(env.entry, b""))

    def placed(self, finding: Finding) -> Finding:
        """The finding at the function it is about, where its check knew no line."""
        if finding.path != self._entry or finding.line != 1:
            return finding
        rule = RULES.get(finding.rule)
        name = ABOUT.get(rule.phase, self._judge) if rule is not None else self._judge
        line = self._lines.get(name) or self._lines.get(self._judge)
        return finding if line is None else finding.model_copy(update={"line": line})


def lines_of(source: bytes) -> Mapping[str, int]:
    """Line numbers of the functions at the top of a module, the last of each name. None of what is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {node.name: node.lineno for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
