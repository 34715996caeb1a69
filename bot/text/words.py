"""Turns of phrase that several texts share."""

from __future__ import annotations

from bot.escape import code
from envbounty.policy import Tier

#: What each tier does, for a reader who sees its name for the first time.
TIER = {
    "verify": "Tier 1, which runs the environment's own solutions and tries to break its verifier",
    "attack": "Tier 2, in which a language model looks for rewards that were not earned",
    "gpu-bench": "the GPU bench, which runs CUDA submissions on a real device",
}

#: The command that starts each tier by hand.
COMMAND = {"verify": "/verify", "attack": "/attack", "gpu-bench": "/bench"}


def sha(full: str) -> str:
    """A commit as the first 12 digits: long enough to be used in a command."""
    return code(full[:12])


def login(name: str) -> str:
    """A user's name that pings nobody."""
    return code(name, 60)


def command(tier: Tier, head: str) -> str:
    """What to write to start `tier` on `head`."""
    return code(COMMAND[tier] if tier == "verify" else f"{COMMAND[tier]} {head[:12]}")


def plural(number: int, noun: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
