"""From an artifact's bytes to a report: the sandbox made them, so nothing is believed and nothing touches the disk."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import zipfile
import zlib
from typing import Any, NoReturn

from schema import check_schema, violation
from words import Refused

MAX_BYTES = 4 * 1024 * 1024
NAME = "report.json"


def check_record(record: Any, artifact_id: int, digest: str, run_id: str) -> None:
    """Hold GitHub's record of the artifact against what the sandbox job put out. Raises `Refused`."""
    if not isinstance(record, dict) or record.get("id") != artifact_id:
        raise Refused("The artifact with the report could not be read.")
    run = record.get("workflow_run")
    if not isinstance(run, dict) or str(run.get("id")) != run_id:
        raise Refused("The artifact with the report belongs to another run.")
    if record.get("expired"):
        raise Refused("The artifact with the report has expired.")
    if record.get("digest") != f"sha256:{digest}":
        raise Refused("The artifact with the report is not the one that the sandbox job uploaded.")
    size = record.get("size_in_bytes")
    if not isinstance(size, int) or size > MAX_BYTES:
        raise Refused("The artifact with the report is larger than 4 MiB.")


def open_report(data: bytes, digest: str, tier: str, schema: dict[str, Any]) -> Any:
    """The report inside the artifact, checked against the schema. Raises `Refused`."""
    if len(data) > MAX_BYTES:
        raise Refused("The artifact with the report is larger than 4 MiB.")
    if hashlib.sha256(data).hexdigest() != digest:
        raise Refused("The artifact with the report is not the one that the sandbox job uploaded.")
    report = parse(unpack(data))
    check_schema(schema)
    try:
        place = violation(report, schema)
    except RecursionError:
        place = ""
    if place is not None:
        raise Refused(f"The report breaks the schema at {place or 'its top'}.")
    if report.get("tier") != tier:
        raise Refused("The report is that of another tier.")
    return report


def unpack(data: bytes) -> bytes:
    """The bytes of the one file that the artifact holds. Raises `Refused`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if [entry.filename for entry in entries] != [NAME]:
                raise Refused(f"The artifact must hold {NAME} and nothing else.")
            (entry,) = entries
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG) or entry.flag_bits & 1:
                raise Refused(f"{NAME} in the artifact is no plain file.")
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Refused("The artifact is packed in a way that is not taken.")
            with archive.open(entry) as stream:
                # What the entry says of its size is the packer's word; what comes out is counted.
                text = stream.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError):
        raise Refused("The artifact is no sound zip file.") from None
    if len(text) > MAX_BYTES:
        raise Refused("The report is larger than 4 MiB.")
    return text


def parse(text: bytes) -> Any:
    """A JSON value without what one reader would see and another not. Raises `Refused`."""
    try:
        return json.loads(
            text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite
        )
    except (ValueError, RecursionError):
        raise Refused("The report is no sound JSON.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name that stands twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number that is too large")
    return number
