"""Keys and passwords left in a file, by the detectors of `detect-secrets`.

Only their patterns are used (`analyze_string`): the library's own scan can ask services whether a key works, honours
comments in the file that excuse a line, and reads files by name. Nothing here goes near a network, a stranger cannot
excuse a line, and what is found never leaves this module: `Credential` says what and where, not which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import BasePlugin
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.private_key import PrivateKeyDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

#: Longer lines are read in pieces that overlap: no pattern needs more, and none takes long on so little.
PIECE, OVERLAP = 4000, 400
#: A key that is nothing but a header or an example is worth a look, no more.
_BODY = re.compile(r"[A-Za-z0-9+/=]{40,}")
_EXAMPLE = re.compile(r"example|dummy|fake|sample|placeholder|redacted|x{6}|0{8}|1234567|abcdefgh|\*{4}", re.I)
#: Random text is a credential only where the line says so: environments are full of digests.
_NAMED = re.compile(r"api_?key|secret|passw|token|credential|auth|private_?key|access_?key", re.I)
_ENTROPY_LENGTH = 24


@dataclass(frozen=True)
class Credential:
    """A key that a line seems to hold."""

    kind: str
    line: int
    certain: bool  # its form alone says what it is


@lru_cache(maxsize=1)
def _certain() -> tuple[BasePlugin, ...]:
    return (
        AWSKeyDetector(), AzureStorageKeyDetector(), DiscordBotTokenDetector(), GitHubTokenDetector(),
        GitLabTokenDetector(), MailchimpDetector(), NpmDetector(), OpenAIDetector(), PypiTokenDetector(),
        SendGridDetector(), SlackDetector(), SquareOAuthDetector(), StripeDetector(), TwilioKeyDetector(),
    )  # fmt: skip


@lru_cache(maxsize=1)
def _possible() -> tuple[BasePlugin, ...]:
    return BasicAuthDetector(), JwtTokenDetector()


@lru_cache(maxsize=1)
def _private_key() -> BasePlugin:
    return PrivateKeyDetector()


@lru_cache(maxsize=1)
def _entropy() -> Base64HighEntropyString:
    return Base64HighEntropyString(limit=4.5)


def credentials(text: str) -> Iterator[Credential]:
    """What seems to be a credential in a file, at most one a line."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if any(True for _ in _private_key().analyze_string(line[:PIECE])):
            body = _BODY.search("\n".join(lines[number - 1 : number + 3])[: 2 * PIECE])
            yield Credential("a private key", number, body is not None)
            continue
        found = next((each for piece in pieces(line) for each in _in_line(piece)), None)
        if found is not None:
            yield Credential(found[0], number, found[2])


def mask(text: str) -> str:
    """`text` with everything that seems to be a credential blotted out."""
    lines = text.split("\n")
    inside_key = False
    for at, line in enumerate(lines):
        if any(True for _ in _private_key().analyze_string(line[:PIECE])):
            inside_key = "-----END" not in line
            lines[at] = "[a private key]"
            continue
        if inside_key:
            inside_key = "-----END" not in line
            lines[at] = "[…]"
            continue
        for piece in pieces(line):
            for _, value, _ in _in_line(piece):
                line = line.replace(value, "[…]")
        lines[at] = line
    return "\n".join(lines)


def pieces(line: str) -> Iterator[str]:
    for start in range(0, max(1, len(line)), PIECE - OVERLAP):
        yield line[start : start + PIECE]


def _in_line(line: str) -> Iterator[tuple[str, str, bool]]:
    """(kind, value, whether it is certain) of each credential in a line."""
    for certain, plugins in ((True, _certain()), (False, _possible())):
        for plugin in plugins:
            for value in plugin.analyze_string(line):
                if value:
                    yield _kind(plugin), value, certain and not _EXAMPLE.search(value)
    if _NAMED.search(line):
        entropy = _entropy()
        for value in entropy.analyze_string(line):
            if len(value) >= _ENTROPY_LENGTH and entropy.calculate_shannon_entropy(value) > entropy.entropy_limit:
                yield "random text beside a word such as token or password", value, False


def _kind(plugin: BasePlugin) -> str:
    return f"{plugin.secret_type}".removesuffix(" Credentials")
