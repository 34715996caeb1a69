"""Tier 1: proves, by running it, that a verifier accepts right answers and rejects wrong ones.

It must not know how a jail works, how a report looks, or anything of pull requests; it accuses only on evidence.
"""

from envbounty.verify.examine import examine, examine_all

__all__ = ["examine", "examine_all"]
