"""What a policy does to an examination, beside weighing what was found (tests/test_policy.py)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from envbounty.findings import Finding, Severity, Verdict
from envbounty.policy import Dependencies, Level, Override, Policy
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine

Make = Callable[..., Path]
REASON = "we look at these by hand until March"

UNLOADABLE = {
    "environment.py": "import a_module_of_ours.part\n\n\ndef generate(rng, difficulty): ...\ndef check(i, o): ...\n"
}


def test_a_module_that_the_policy_promises_and_the_jail_lacks_is_our_fault(make_env: Make, jail: Pool) -> None:
    place = make_env("function", UNLOADABLE)
    theirs = examine(place, jail)
    assert theirs.verdict is Verdict.FAIL and theirs.reason.endswith("proved: import-fails")
    promised = Policy(schema=1, dependencies=Dependencies(modules=["a_module_of_ours"]))
    ours = examine(place, jail, policy=promised)
    assert ours.verdict is Verdict.ERROR
    assert "promises the module a_module_of_ours" in ours.reason
    other = Policy(schema=1, dependencies=Dependencies(modules=["part", "a_module"]))
    assert examine(place, jail, policy=other).verdict is Verdict.FAIL


def test_a_fault_that_is_let_through_and_ended_the_examination_leaves_it_incomplete(make_env: Make, jail: Pool) -> None:
    rejected = "def generate(rng, difficulty):\n    return {'values': [rng.randint(0, 10**9)]}\n\n\n"
    rejected += "def check(instance, output):\n    return 0.0\n"
    place = make_env("function", {"environment.py": rejected})
    lax = Policy(schema=1, rules={"reference-rejected": Override(level=Level.OFF, reason=REASON)})
    result = examine(place, jail, policy=lax)
    assert result.verdict is Verdict.INCOMPLETE
    assert "`solutions` left nothing for the later ones to stand on" in result.reason
    (noted,) = [finding for finding in result.findings if finding.rule == "reference-rejected"]
    assert noted.severity is Severity.NOTE
    assert noted.overridden is not None and noted.overridden.reason == REASON
    assert result.policy == lax.digest


def test_many_warnings_never_crowd_out_an_error() -> None:
    module = importlib.import_module("envbounty.verify.examination")
    weak = Finding(rule="accepts-echo", severity=Severity.WARNING, message="m", path="p", fix="f")
    proof = weak.model_copy(update={"severity": Severity.ERROR})
    kept = module._bounded(iter([weak] * 9 + [proof] * 9), 2)
    assert [finding.severity for finding in kept] == [Severity.WARNING] * 2 + [Severity.ERROR] * 2
