"""Keys in files: found by their form, never shown, never sent anywhere, and not seen where there are none."""

from __future__ import annotations

import random
import socket
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envbounty.provenance.credentials import OVERLAP, PIECE, credentials, mask
from tests.provenance.conftest import VERIFIER, Look, Write


def key(prefix: str, length: int, letters: str = string.ascii_letters + string.digits) -> str:
    """A key of the right form, made here: no file of ours holds one."""
    return prefix + "".join(random.Random(prefix).choices(letters, k=length))


UPPER = string.ascii_uppercase + string.digits
CERTAIN = {
    "AWS Access Key": key("AK" + "IA", 16, UPPER),
    "GitHub Token": key("gh" + "p_", 36),
    "GitLab Token": key("glp" + "at-", 20),
    "Slack Token": key("xo" + "xb-", 12, string.digits) + "-" + key("", 24),
    "Stripe Access Key": key("sk_" + "live_", 24),
    "SendGrid API Key": "SG" + "." + key("s", 21) + "." + key("g", 42),
    "NPM tokens": "//registry.example.org/:_auth" + "Token=" + key("npm_", 36),
    "PyPI Token": key("pypi-AgEIcHlwaS5" + "vcmc", 80),
    "Twilio API Key": key("S" + "K", 32, string.digits + "abcdef"),
    "Mailchimp Access Key": key("", 32, string.digits + "abcdef") + "-us12",
}  # fmt: skip
BODY = "\n".join(key(str(line), 63) for line in range(6))
PRIVATE = f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{BODY}\n-----END RSA PRIVATE {'KEY'}-----"


@pytest.mark.parametrize("kind", CERTAIN)
def test_keys_known_by_their_form(kind: str) -> None:
    text = f"first line\nvalue = '{CERTAIN[kind]}'\n"
    (found,) = credentials(text)
    assert (found.kind, found.line, found.certain) == (kind, 2, True)
    assert CERTAIN[kind] not in mask(text) and "first line" in mask(text)
    (comment,) = credentials(f"# {CERTAIN[kind]}  # pragma: allowlist secret")  # nobody excuses himself
    assert comment.certain


def test_private_keys() -> None:
    (found,) = credentials(f"KEY = '''{PRIVATE}'''\n")
    assert (found.kind, found.certain) == ("a private key", True)
    assert not any(line in mask(f"x\n{PRIVATE}\ny") for line in BODY.splitlines())
    assert mask(f"x\n{PRIVATE}\ny").startswith("x\n") and mask(f"x\n{PRIVATE}\ny").endswith("\ny")
    (header,) = credentials("a file that begins with -----BEGIN RSA PRIVATE KEY----- is a key\n")
    assert not header.certain


@pytest.mark.parametrize(
    ("line", "certain"),
    [
        ("url = 'https://ada:Xy7pQ2mL@example.org/x'", False),
        (
            "token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'",
            False,
        ),
        (f"api_key = '{key('q', 39)}'", False),
        (f"aws = '{'AK' + 'IA'}IOSFODNN7EXAMPLE'", False),  # the one of the documentation
    ],
)
def test_what_may_be_one(line: str, certain: bool) -> None:
    (found,) = credentials(line)
    assert found.certain is certain


@pytest.mark.parametrize(
    "line",
    [
        "digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'",
        f"board = '{key('b', 60)}'",
        "password = 'correct horse battery staple'",
        "tokens = ['if', 'while', 'identifier', 'number', 'string']",
        "secret = rng.randint(0, 10**12)",
        "def check_password(text): return len(text) >= 12",
        "for key in sorted(instance): total += instance[key]",
        "assert encode('hello world, how are you') == 'dlrow olleh'",
        "https://example.org/path?x=1",
    ],
)
def test_what_is_none(line: str) -> None:
    assert list(credentials(line)) == [] and mask(line) == line


def test_a_key_anywhere_in_a_long_line() -> None:
    token = CERTAIN["GitHub Token"]
    for at in (0, PIECE - 20, PIECE - OVERLAP, 3 * PIECE + 7):
        line = "x " * (at // 2) + token + " y" * 5000
        assert [found.certain for found in credentials(line)] == [True] and token not in mask(line)


def test_no_text_takes_long() -> None:
    started = time.process_time()
    for text in (
        "a" * 1_000_000,
        "token=" * 100_000,
        "'" * 300_000,
        "AKIA" * 200_000,
        "-----BEGIN" * 90_000,
        "\n" * 500_000,
    ):
        list(credentials(text))
        mask(text[:20_000])
    assert time.process_time() - started < 30


@given(st.text(max_size=400))
def test_any_text(text: str) -> None:
    assert list(credentials(text)) or mask(text) == text


def test_nothing_is_asked_of_the_network(write: Write, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    lines = "".join(f"K{number} = '{each}'\n" for number, each in enumerate(CERTAIN.values()))
    secret = f"aws_secret_access_key = '{key('w', 39)}'\n"
    found = look(write(files={"environment.py": f"{VERIFIER}\n{lines}{secret}"}))
    assert len(found) == len(CERTAIN) + 1 and {finding.rule for finding in found} == {"secret-found"}


def test_a_report_never_holds_what_was_found(write: Write, look: Look) -> None:
    place = write(
        files={
            "environment.py": VERIFIER
            + "".join(f"# {each}\n" for each in CERTAIN.values())
            + PRIVATE.replace("-----B", "# -----B").replace("\n", "\n# ")
        }
    )
    found = look(place)
    assert len(found) == len(CERTAIN) + 1
    said = repr(found)
    for each in (*CERTAIN.values(), *BODY.splitlines()):
        assert each not in said and each[8:20] not in said


@pytest.mark.parametrize("path", ["env.yaml", "task.md", "solutions/bad/never.py", "notes.txt"])
def test_every_file_is_looked_at(path: str, write: Write, look: Look) -> None:
    place = write(files={"notes.txt": "nothing\n"})
    file: Path = place / path
    file.write_text(file.read_text() + f"# {CERTAIN['GitHub Token']}\n")
    (finding,) = look(place)
    assert (finding.rule, finding.path, finding.line) == ("secret-found", path, file.read_text().count("\n"))
