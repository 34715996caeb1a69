"""The papers of the operator, held against the code: settings, metrics, commands, what goes into the image."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import yaml

from bot import metrics
from bot.cli import main
from bot.settings import Settings

ROOT = Path(__file__).parents[2]
OPERATE = (ROOT / "docs" / "operate.md").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())

NAMES = {name.upper() for name in Settings.model_fields} | {"APP_PRIVATE_KEY_FILE"}


def test_every_setting_is_in_the_table_and_nothing_else() -> None:
    table = OPERATE.split("## Settings")[1].split("##")[0]
    told: set[str] = set()
    for line in table.splitlines():
        if line.startswith("| `"):
            told |= set(re.findall(r"`([A-Z_]{3,})`", line.split("|")[1]))
    assert told == NAMES


def test_the_defaults_in_the_table_are_the_programs() -> None:
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, int | float) and name not in ("port", "lag", "lag_limit"):
            (line,) = [line for line in OPERATE.splitlines() if line.startswith(f"| `{name.upper()}`")]
            assert f"| `{field.default:g}` |" in line, name


def test_every_metric_that_is_named_exists() -> None:
    text = metrics.render().decode()
    known = set(re.findall(r"# TYPE (envbounty_\w+)", text))
    for name in re.findall(r"envbounty_\w+", OPERATE):
        assert name in known or name.removesuffix("_total") in known, name


def test_every_command_that_is_named_exists() -> None:
    for command in re.findall(r"python -m bot (\w+)", OPERATE):
        assert command in main.commands


def test_compose_sets_only_what_the_bot_reads() -> None:
    assert set(COMPOSE["services"]["bot"]["environment"]) <= NAMES
    assert COMPOSE["services"]["bot"]["read_only"] is True and COMPOSE["services"]["bot"]["cap_drop"] == ["ALL"]


def test_the_image_is_made_of_what_is_there() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    for line in DOCKERFILE.splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            source = shlex.split(line)[1]
            assert (ROOT / source).exists() and f"!{source}" in ignored
    environ = set(re.findall(r"([A-Z_]{3,})=", DOCKERFILE)) - {"PATH", "PYTHONPATH", "BASE"}
    assert {name for name in environ if not name.startswith("PYTHON")} <= NAMES
    assert "USER 65534" in DOCKERFILE
