"""What GitHub itself reads of a workflow file when it is dispatched: name, trigger, inputs, run name. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from localhub.model import Refused

#: More inputs than this are refused, and so are inputs that are longer than this all together.
MAX_INPUTS, MAX_PAYLOAD = 25, 65_535


@dataclass(frozen=True)
class Definition:
    """A workflow file as far as dispatching goes."""

    name: str
    run_name: str
    inputs: Mapping[str, Mapping[str, Any]] | None  # None: it has no `workflow_dispatch` trigger
    text: str


def read(path: str, text: str) -> Definition:
    """Raises Refused (422) for a file that is no workflow."""
    try:
        parsed = yaml.safe_load(text)
    except yaml.YAMLError as why:
        raise Refused(422, f"failed to parse workflow: {str(why).splitlines()[0]}") from why
    if not isinstance(parsed, dict):
        raise Refused(422, "failed to parse workflow: not a mapping")
    triggers = parsed.get("on", parsed.get(True))  # YAML 1.1 reads a bare `on` as true
    if isinstance(triggers, str):
        triggers = {triggers: None}
    elif isinstance(triggers, list):
        triggers = dict.fromkeys(triggers)
    inputs = None
    if isinstance(triggers, dict) and "workflow_dispatch" in triggers:
        inputs = (triggers["workflow_dispatch"] or {}).get("inputs") or {}
    return Definition(str(parsed.get("name") or path), str(parsed.get("run-name") or ""), inputs, text)


def fill(definition: Definition, given: Mapping[str, Any]) -> dict[str, str]:
    """The inputs of a dispatch with defaults filled in. Raises Refused (422) as GitHub does."""
    if definition.inputs is None:
        raise Refused(422, "Workflow does not have 'workflow_dispatch' trigger")
    if len(given) > MAX_INPUTS:
        raise Refused(
            422, f"Invalid request.\n\nNo more than {MAX_INPUTS} properties are allowed; {len(given)} were supplied."
        )
    unknown = sorted(set(given) - set(definition.inputs))
    if unknown:
        raise Refused(422, f"Unexpected inputs provided: {unknown}".replace("'", '"'))
    filled = {}
    for name, spec in definition.inputs.items():
        spec = spec or {}
        value = given.get(name)
        if value is None or value == "":
            if spec.get("required") and "default" not in spec:
                raise Refused(422, f"Required input '{name}' not provided")
            value = spec.get("default", "")
        if spec.get("type") == "choice" and value not in [str(one) for one in spec.get("options", [])]:
            raise Refused(422, f"Provided value '{value}' for input '{name}' not in the list of allowed values")
        filled[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if sum(len(name) + len(value) for name, value in filled.items()) > MAX_PAYLOAD:
        raise Refused(422, "inputs are too large.")
    return filled


_EXPRESSION = re.compile(r"\$\{\{\s*([A-Za-z_.-]+)\s*\}\}")


def title(definition: Definition, inputs: Mapping[str, str], actor: str) -> str:
    """`display_title`: the run name with its expressions filled in, or the workflow's name."""

    def value(match: re.Match[str]) -> str:
        word = match[1]
        for prefix in ("inputs.", "github.event.inputs."):
            if word.startswith(prefix):
                return inputs.get(word.removeprefix(prefix), "")
        return actor if word in ("github.actor", "github.triggering_actor") else ""

    return _EXPRESSION.sub(value, definition.run_name).strip() or definition.name
