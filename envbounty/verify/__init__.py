"""Tier 1: proves, by running it, that a verifier accepts right answers and rejects wrong ones.

It must not know how a jail works, how a report looks, or anything of pull requests; it accuses only on evidence.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envbounty.verify.examination import examine, examine_all

__all__ = ["examine", "examine_all"]


def __getattr__(name: str) -> Any:
    # The bot wants the list of rules alone, and the checks would take a third of its start.
    if name in __all__:
        from envbounty.verify import examination

        return getattr(examination, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
