#!/usr/bin/env python3
"""Cut GitHub's OpenAPI description down to the operations and webhooks that localhub has.

    npm pack @octokit/openapi && tar xzf octokit-openapi-*.tgz package/generated/api.github.com.json
    .venv/bin/python scripts/trim-openapi.py package/generated/api.github.com.json

Writes tests/localhub/github.openapi.json.gz (MIT, by Octokit): for each operation its request body and the schemas of
its answers, for each webhook its payload, and the schemas they need. Schemas are turned into JSON Schema: `nullable`
becomes a type, `oneOf` becomes `anyOf` (its branches overlap), and words for readers (descriptions, examples) are left
out. The same bytes every time.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parent.parent / "tests" / "localhub" / "github.openapi.json.gz"
EVENTS = (
    "check-run",
    "check-suite",
    "installation",
    "issue-comment",
    "issues",
    "member",
    "ping",
    "pull-request",
    "pull-request-review",
    "pull-request-review-comment",
    "push",
    "repository",
    "workflow-job",
    "workflow-run",
)
DROP = {"description", "example", "examples", "externalDocs", "deprecated", "title", "readOnly", "writeOnly", "xml"}


#: Where GitHub's description is stricter than GitHub: a comment on a changed line, or on a whole file, has no line,
#: and a pull request whose fork was deleted has no head repository.
NULLABLE = {
    "line": "integer",
    "position": "integer",
    "start_line": "integer",
    "original_start_line": "integer",
    "repo": None,
}


def corrected(name: str, node: Any) -> Any:
    """The description of one property, where it is known to be wrong set right."""
    if not isinstance(node, dict):
        return node
    if name == "account" and "allOf" in node:  # a user and an enterprise at once
        return {**{key: value for key, value in node.items() if key != "allOf"}, "anyOf": node["allOf"]}
    if name == "events" and "enum" in node.get("items", {}):  # its list of events is years old
        return {**node, "items": {"type": "string"}}
    if name in NULLABLE and node.get("type") in (NULLABLE[name], "object" if name == "repo" else NULLABLE[name]):
        return {**node, "nullable": True}
    return node


def schema(node: Any, inside: bool = False) -> Any:
    """A JSON Schema of an OpenAPI 3.0 schema. `inside`: the keys are names of properties, not words of the language."""
    if isinstance(node, list):
        return [schema(one) for one in node]
    if not isinstance(node, dict):
        return node
    if inside:
        return {name: schema(corrected(name, one)) for name, one in node.items()}
    made = {
        "anyOf" if key == "oneOf" else key: schema(value, inside=key == "properties")
        for key, value in node.items()
        if not key.startswith("x-")
        and not (key in DROP and not isinstance(value, dict))
        and key not in ("example", "nullable")
    }
    if node.get("nullable"):
        if "type" in made:
            made["type"] = [made["type"], "null"]
            if "enum" in made and None not in made["enum"]:
                made["enum"] = [*made["enum"], None]
        else:
            made = {"anyOf": [made, {"type": "null"}]}
    return made


def references(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*map(references, node)) if node else set()
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
    return own.union(*map(references, node.values()))


def main(source: str) -> None:
    sys.path.insert(0, str(OUT.parent.parent.parent))
    from localhub.rest import OPERATIONS

    spec = json.loads(Path(source).read_text(encoding="utf-8"))

    def resolve(node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            part = spec
            for key in node["$ref"].removeprefix("#/").split("/"):
                part = part[key]
            node = part
        return node

    def content(node: dict[str, Any]) -> Any:
        media = resolve(node).get("content", {}).get("application/json")
        return schema(media["schema"]) if media and "schema" in media else None

    operations: dict[str, Any] = {}
    missing = []
    by_shape = {shape(path): path for path in spec["paths"]}
    for op in OPERATIONS:
        path = by_shape.get(shape(op.path))
        described = spec["paths"].get(path, {}).get(op.method.lower()) if path else None
        if described is None:
            missing.append(f"{op.method} {op.path}")
            continue
        body = described.get("requestBody")
        operations[f"{op.method} {op.path}"] = {
            "id": described["operationId"],
            "request": content(body) if body else None,
            "answers": {status: content(answer) for status, answer in described["responses"].items()},
        }
    webhooks = {}
    for name, hook in spec["x-webhooks"].items():
        if name.startswith(EVENTS):
            webhooks[name] = content(hook["post"]["requestBody"])
    needed: dict[str, Any] = {}
    open_ends = references([operations, webhooks])
    while open_ends:
        ref = open_ends.pop()
        name = ref.rsplit("/", 1)[-1]
        if name not in needed:
            needed[name] = schema(spec["components"]["schemas"][name])
            open_ends |= references(needed[name])
    trimmed = {
        "version": spec["info"]["version"],
        "operations": operations,
        "webhooks": webhooks,
        "components": {"schemas": needed},
    }
    text = json.dumps(trimmed, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
    OUT.write_bytes(gzip.compress(text.encode(), mtime=0))
    counts = f"{len(operations)} operations, {len(webhooks)} webhooks, {len(needed)} schemas"
    print(f"{counts}, {len(text):,} bytes, packed {OUT.stat().st_size:,}")
    print("GitHub does not describe:", ", ".join(missing) or "none")


def shape(path: str) -> str:
    """A path with the names of its parameters left out, so that ours and GitHub's can be matched."""
    import re

    return re.sub(r"\{[^}]*\}", "{}", path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
