"""What a repository's workflow files let strangers do. Pure; the files are read as data and never run.

Only the tiers' own files have a form that is known to be safe: the one that `envbounty init` lays down. Of all others
it is asked whether somebody without rights can start them with rights, or on a machine that outlives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from bot.checks import NAMES
from bot.doctor.facts import Problem, Severity
from envbounty.environment.problems import ContractError
from envbounty.environment.yamltext import read_yaml
from envbounty.policy import Tier
from envbounty.scaffold.repository import render_repository

#: Started by strangers and run with the repository's rights. `repository_dispatch` is left out: it needs write access.
PRIVILEGED = ("pull_request_target", "workflow_run", "issue_comment", "pull_request_comment")

#: GitHub's own machines, by the beginning of their labels.
HOSTED = re.compile(r"(ubuntu|windows|macos)-[A-Za-z0-9._-]+")

_USES = re.compile(r"(?P<workflow>[\w.-]+/[\w.-]+/[\w./-]+)@(?P<ref>\S+)")
_SHA = re.compile(r"[0-9a-f]{40}")


def path_of(tier: Tier) -> str:
    """Where a tier's workflow lives."""
    return f".github/workflows/{tier}.yml"


def look(
    workflows: Mapping[str, str], required: tuple[Tier, ...], trusted: frozenset[str], here: str = ""
) -> Iterator[Problem]:
    """The problems of all workflow files.

    `here`: where a file of this repository is, such as `owner/name/{}@refs/heads/main`, with `{}` for its path. A file
    of the repository's own is trusted only where `trusted` names it so: that is for a fork of envbounty itself.
    """
    tiers: dict[str, Tier] = {path_of(tier): tier for tier in NAMES}
    for tier in required:
        if path_of(tier) not in workflows:
            yield Problem(
                "tier-workflow-missing",
                Severity.FORBIDS,
                f"{path_of(tier)} is not there, so {tier} cannot run.",
                "Lay it down with `envbounty init`.",
            )
    for path in sorted(workflows):
        try:
            document = read_yaml(workflows[path], path).value
        except ContractError:
            document = None
        if not isinstance(document, dict):
            yield Problem(
                "workflow-unreadable",
                Severity.FORBIDS,
                f"{path} cannot be read as YAML, so what it does is not known.",
                "Mend it or delete it.",
            )
        elif path in tiers and here and here.replace("{}", path) in _spelt(trusted, tiers[path]):
            yield from _own(path, tiers[path], document)
        elif path in tiers:
            yield from _tier(path, tiers[path], document, trusted)
        else:
            yield from _triggers(path, document)
            yield from _runners(path, document)


def events(document: Mapping[Any, Any]) -> set[str]:
    """The events that start a workflow. YAML 1.1 reads the key `on` as true."""
    found = document.get("on", document.get(True))
    if isinstance(found, str):
        return {found}
    if isinstance(found, (list, dict)):
        return {str(name) for name in found}
    return set()


def _triggers(path: str, document: Mapping[Any, Any]) -> Iterator[Problem]:
    for name in sorted(events(document) & set(PRIVILEGED)):
        yield Problem(
            "dangerous-trigger",
            Severity.FORBIDS,
            f"{path} starts on {name}: anybody can start it, and it runs with this repository's rights and secrets.",
            "Use pull_request for what needs no rights, and let the App dispatch the rest.",
        )


def _runners(path: str, document: Mapping[Any, Any]) -> Iterator[Problem]:
    jobs = document.get("jobs")
    for name, job in jobs.items() if isinstance(jobs, dict) else ():
        runs_on = job.get("runs-on") if isinstance(job, dict) else None
        if runs_on is None:
            continue  # a called workflow says itself where it runs
        labels = runs_on if isinstance(runs_on, list) else [runs_on]
        if any(isinstance(label, str) and "${{" in label for label in labels):
            yield Problem(
                "runner-unknown",
                Severity.ADVICE,
                f"{path}: where job {str(name)[:60]} runs is worked out only when it runs.",
                "Name the runner, so that it can be seen that it is GitHub's.",
            )
        elif not all(isinstance(label, str) and HOSTED.fullmatch(label) for label in labels):
            yield Problem(
                "self-hosted-runner",
                Severity.FORBIDS,
                f"{path}: job {str(name)[:60]} runs on a machine of your own, which outlives it.",
                "Use GitHub's runners; only the GPU bench, which the App dispatches, may have its own.",
            )


def _tier(path: str, tier: Tier, document: Mapping[Any, Any], trusted: frozenset[str]) -> Iterator[Problem]:
    """A tier's file has to be what `envbounty init` writes, with a commit that this bot trusts."""
    called = _called(document)
    match = _USES.fullmatch(called)
    if match is None or _SHA.fullmatch(match["ref"]) is None:
        yield Problem(
            "tier-workflow-unpinned",
            Severity.FORBIDS,
            f"{path} does not call envbounty's workflow at a full commit hash.",
            "Write it anew with `envbounty init --action-ref SHA`.",
        )
        return
    if _laid_down(match["ref"]).get(path) != document:
        yield Problem(
            "tier-workflow-changed",
            Severity.FORBIDS,
            f"{path} differs from what `envbounty init` lays down, so its reports may be about something else.",
            "Write it anew with `envbounty init --action-ref SHA`.",
        )
    elif called not in _spelt(trusted, tier):
        yield Problem(
            "tier-workflow-untrusted",
            Severity.FORBIDS,
            f"{path} calls {called[:200]}, which this bot does not trust, so it takes no report from it.",
            "Read that commit, and add it to TRUSTED_WORKFLOWS or call one that is there.",
        )


def _own(path: str, tier: Tier, document: Mapping[Any, Any]) -> Iterator[Problem]:
    """A tier's file that the operator trusts as it stands: still only a dispatch may start it, and with no rights."""
    if not events(document) <= {"workflow_dispatch", "workflow_call"} or document.get("permissions") != {}:
        yield Problem(
            "tier-workflow-changed",
            Severity.FORBIDS,
            f"{path} can be started by something else than a dispatch, or gives all its jobs rights.",
            "Let only workflow_dispatch start it, with `permissions: {}` at the top.",
        )
    if tier != "gpu-bench":
        yield from _runners(path, document)


def _spelt(trusted: frozenset[str], tier: Tier) -> set[str]:
    return {name.replace("{tier}", tier) for name in trusted}


@lru_cache(maxsize=8)
def _laid_down(ref: str) -> Mapping[str, Any]:
    """The tiers' workflows as `envbounty init` writes them, by path."""
    files = render_repository(ref, None)
    return {path_of(tier): read_yaml(files[path_of(tier)], path_of(tier)).value for tier in NAMES}


def _called(document: Mapping[Any, Any]) -> str:
    """What the one job of a tier's file calls; empty where there is no such one job."""
    jobs = document.get("jobs")
    if not isinstance(jobs, dict) or len(jobs) != 1:
        return ""
    (job,) = jobs.values()
    return str(job.get("uses", "")) if isinstance(job, dict) else ""
