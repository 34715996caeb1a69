"""Holds every exchange against GitHub's own OpenAPI description. For tests; needs the package jsonschema.

hub.checker = Checker(Path("tests/localhub/github.openapi.json.gz"))     made by scripts/trim-openapi.py
…
assert hub.checker.violations == []
"""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
from referencing import Registry
from referencing.jsonschema import DRAFT7

from localhub.webhooks import Delivery

if TYPE_CHECKING:
    from localhub.rest.core import Answer, Call, Operation

_WHOLE = "urn:github"


@functools.cache
def _load(description: Path) -> tuple[Any, Registry[Any], dict[str, jsonschema.Draft7Validator]]:
    text = gzip.decompress(description.read_bytes()).decode()
    spec = json.loads(text.replace('"#/components/', f'"{_WHOLE}#/components/'))
    return spec, Registry().with_resource(_WHOLE, DRAFT7.create_resource(spec)), {}


class Checker:
    """Collects in `violations` what GitHub's description does not allow, one line each; `seen` counts by operation."""

    def __init__(self, description: Path) -> None:
        self.description = description
        self._spec, self._registry, self._validators = _load(description)
        self.violations: list[str] = []
        self.seen: dict[str, int] = {}

    def check(self, op: Operation, call: Call, answer: Answer) -> None:
        """One request and its answer. A refused request may break the description: that is why it was refused."""
        name = f"{op.method} {op.path}"
        described = self._spec["operations"].get(name)
        if described is None:
            if op.path != "/graphql":
                self._note(name, "GitHub does not describe this operation")
            return
        self.seen[name] = self.seen.get(name, 0) + 1
        status = str(answer.status)
        if answer.status < 400:
            if status not in described["answers"]:
                self._note(name, f"GitHub never answers {status} here")
            if described["request"] is not None and call.body.strip():
                self._validate(f"{name} request", described["request"], call.json)
        schema = described["answers"].get(status)
        if schema is not None and not isinstance(answer.body, bytes):
            self._validate(f"{name} answer {status}", schema, answer.body)

    def webhook(self, delivery: Delivery) -> None:
        """One webhook's payload."""
        name = "-".join(filter(None, (delivery.event, delivery.action))).replace("_", "-")
        schema = self._spec["webhooks"].get(name)
        if schema is None:
            self._note(f"webhook {name}", "GitHub describes no such webhook")
        else:
            self._validate(f"webhook {name}", schema, json.loads(delivery.body))

    def _validate(self, where: str, schema: Any, value: Any) -> None:
        validator = self._validators.get(where)
        if validator is None:
            validator = self._validators[where] = jsonschema.Draft7Validator(schema, registry=self._registry)
        error = jsonschema.exceptions.best_match(validator.iter_errors(value))
        if error is not None:
            path = "/".join(str(piece) for piece in error.absolute_path)
            self._note(where, f"{path}: {error.message[:300]}")

    def _note(self, where: str, what: str) -> None:
        line = f"{where}: {what}"
        if line not in self.violations:
            self.violations.append(line)
