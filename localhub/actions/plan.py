"""A workflow file as a list of jobs to run one by one, and the file that makes `act` run one of them. Pure.

GitHub runs each job on a machine of its own; `act` runs all of them in one process with one environment. So `act` is
started once for each job. The jobs that are over stand in that file as stubs, which end as they ended and put out what
they put out, so that `needs`, `if` and outputs are worked out by `act` itself; a last job writes down how it went.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

LEVELS = ("none", "read", "write")
COLLECT = "localhub-collect"
#: Keys that `act` refuses, or that have no meaning for a job that runs alone.
_DROPPED = ("cache-mode", "permissions", "concurrency")
_CALLED = re.compile(r"([\w.-]+/[\w.-]+)/(\.github/workflows/[\w.-]+\.ya?ml)@([\w./-]+)")
_OWN_CALL = re.compile(r"(?:\./|\$/)(\.github/workflows/[\w.-]+\.ya?ml)")
_INPUT = re.compile(r"\$\{\{\s*inputs\.([A-Za-z_][\w-]*)\s*\}\}")


class Broken(Exception):
    """GitHub would not start this workflow."""


@dataclass(frozen=True)
class Source:
    """Where a workflow file is from: `repo` at the commit or branch `ref`."""

    repo: str
    path: str
    ref: str

    @property
    def name(self) -> str:
        """OIDC's `job_workflow_ref`."""
        return f"{self.repo}/{self.path}@{self.ref}"


@dataclass(frozen=True)
class Planned:
    """One job. `key` is its key in `workflow`, `name` what GitHub shows ("caller / job" for a called one)."""

    key: str
    name: str
    workflow: Mapping[str, Any]
    source: Source
    inputs: Mapping[str, str]
    permissions: Mapping[str, str]
    needs: tuple[str, ...] = ()
    called: bool = False
    minutes: float = 360
    machine: str = "ubuntu-24.04"

    @property
    def mints(self) -> bool:
        return self.permissions.get("id-token") == "write"


@dataclass
class Ended:
    """How a job ended, in the words of the `needs` context, and what it put out."""

    result: str
    outputs: Mapping[str, str] = field(default_factory=dict)


def parse(text: str) -> dict[str, Any]:
    """A workflow file. Raises `Broken`."""
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as why:
        raise Broken(f"no YAML: {str(why).splitlines()[0]}") from why
    if not isinstance(found, dict) or not isinstance(found.get("jobs"), dict) or not found["jobs"]:
        raise Broken("a workflow needs jobs")
    found["on"] = found.pop(True, found.get("on"))  # YAML 1.1 reads a bare `on` as true
    return found


def plan(
    text: str,
    source: Source,
    inputs: Mapping[str, str],
    read: Callable[[Source], str],
    callers: Mapping[str, str] | None = None,
    depth: int = 0,
) -> list[Planned]:
    """The jobs of a workflow in an order in which each comes after those that it needs, called workflows opened up.

    `read` gives the text of a called workflow's file and raises `Broken` where there is none. `callers` are the
    permissions of the job that calls this workflow.
    """
    workflow = parse(text)
    granted = _permissions(workflow.get("permissions"), callers)
    jobs: list[Planned] = []
    for key in _order(workflow["jobs"]):
        job = workflow["jobs"][key]
        permissions = _permissions(job.get("permissions"), granted)
        if "uses" not in job:
            name, minutes = str(job.get("name") or key), float(job.get("timeout-minutes") or 360)
            needs, machine = tuple(_needs(job)), job.get("runs-on")
            if not isinstance(machine, str) or "${{" in machine:
                raise Broken(f"job {key}: runs-on must name one machine")
            jobs.append(Planned(key, name, workflow, source, inputs, permissions, needs, depth > 0, minutes, machine))
            continue
        if depth >= 4 or _needs(job) or "if" in job:
            raise Broken(f"job {key}: such a call is not run here")
        where = _target(str(job["uses"]), source)
        given = {name: _value(str(value), inputs) for name, value in (job.get("with") or {}).items()}
        for inner in plan(read(where), where, given, read, permissions, depth + 1):
            _no_more_than(inner, permissions, key)
            jobs.append(_inside(inner, str(job.get("name") or key)))
    return jobs


def act_file(planned: Planned, ended: Mapping[str, Ended], script: str) -> tuple[str, dict[str, Any]]:
    """(the workflow file for `act`, the stubs' data) to run one job. `script` runs a stub and the collector: it is
    given `stub NAME` or `collect`. What jobs put out is data in a file, never part of the workflow: it may be a
    contributor's, and an expression in it would be worked out."""
    workflow = copy.deepcopy(dict(planned.workflow))
    job = {name: value for name, value in workflow["jobs"][planned.key].items() if name not in _DROPPED}
    for step in job.get("steps", ()):
        if isinstance(step.get("uses"), str) and step["uses"].startswith("$/"):
            step["uses"] = f"{planned.source.repo}/{step['uses'][2:]}@{planned.source.ref}"
    machine = planned.machine
    jobs: dict[str, Any] = {}
    for name in planned.needs:
        outputs = {output: f"${{{{ steps.stub.outputs['{output}'] }}}}" for output in ended[name].outputs}
        step = {"id": "stub", "shell": "bash", "run": f"{script} stub {name}"}
        jobs[name] = {"runs-on": machine, "outputs": outputs, "steps": [step]}
        if ended[name].result == "skipped":
            jobs[name]["if"] = False
    jobs[planned.key] = job
    collect = {"shell": "bash", "env": {"LOCALHUB_NEEDS": "${{ toJSON(needs) }}"}, "run": f"{script} collect"}
    jobs[COLLECT] = {"needs": [planned.key], "if": "always()", "runs-on": machine, "steps": [collect]}
    head = {name: value for name, value in workflow.items() if name in ("name", "env", "defaults")}
    asked = {name: {"type": "string"} for name in planned.inputs}
    file = {**head, "on": {"workflow_dispatch": {"inputs": asked}}, "jobs": jobs}
    stubs = {name: {"result": ended[name].result, "outputs": dict(ended[name].outputs)} for name in planned.needs}
    return yaml.safe_dump(file, sort_keys=False, allow_unicode=True), stubs


def used_by(text: str) -> set[tuple[str, str]]:
    """(OWNER/REPO, ref) of every action that a workflow or an action's file uses."""
    found = re.findall(r"^\s*-?\s*uses:\s*['\"]?([\w.-]+/[\w.-]+)(?:/[\w./-]+)?@([\w./-]+)", text, re.M)
    return set(found)


def _order(jobs: Mapping[str, Any]) -> list[str]:
    """Keys, each after those that it needs, otherwise as they stand in the file."""
    ordered: list[str] = []
    while len(ordered) < len(jobs):
        ready = [key for key in jobs if key not in ordered and set(_needs(jobs[key])) <= set(ordered)]
        if not ready:
            raise Broken("jobs need each other, or one that is not there")
        ordered.append(ready[0])
    return ordered


def _needs(job: Mapping[str, Any]) -> list[str]:
    needs = job.get("needs") or []
    return [needs] if isinstance(needs, str) else list(needs)


def _permissions(given: Any, otherwise: Mapping[str, str] | None) -> Mapping[str, str]:
    """What stands there, else what the workflow says, else what a careful repository's setting gives: to read."""
    if given is None:
        return {"contents": "read"} if otherwise is None else otherwise
    if isinstance(given, str):
        level = {"read-all": "read", "write-all": "write"}.get(given)
        if level is None:
            raise Broken(f"permissions: {given}")
        every = ("actions", "checks", "contents", "id-token", "issues", "pull-requests", "statuses")
        return {name: level for name in every if not (name == "id-token" and level == "read")}
    return {str(name): str(level) for name, level in given.items() if level != "none"}


def _no_more_than(inner: Planned, granted: Mapping[str, str], caller: str) -> None:
    """A called workflow may ask for less than its caller was granted and never for more."""
    for name, level in inner.permissions.items():
        if LEVELS.index(level) > LEVELS.index(granted.get(name, "none")):
            raise Broken(
                f"the nested job {inner.name!r} is requesting '{name}: {level}', but {caller!r} is only allowed "
                f"'{name}: {granted.get(name, 'none')}'"
            )


def _inside(inner: Planned, caller: str) -> Planned:
    return replace(inner, name=f"{caller} / {inner.name}")


def _target(uses: str, source: Source) -> Source:
    if found := _OWN_CALL.fullmatch(uses):
        return Source(source.repo, found[1], source.ref)
    if found := _CALLED.fullmatch(uses):
        return Source(found[1], found[2], found[3])
    raise Broken(f"{uses!r} is no reusable workflow")


def _value(text: str, inputs: Mapping[str, str]) -> str:
    if found := _INPUT.fullmatch(text.strip()):
        return inputs.get(found[1], "")
    if "${{" in text:
        raise Broken(f"{text!r}: of expressions only a single input is passed on here")
    return text
