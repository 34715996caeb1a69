"""Inputs that nobody wrote: made from the few that a grader shows, and kept only where they look like those.

Pure. Knows values and what was seen of them; never runs a reference, a submission or a grader.
"""

from __future__ import annotations

from envbounty.verify.inputs.derive import derive
from envbounty.verify.inputs.domain import Domain
from envbounty.verify.inputs.values import Call

__all__ = ["Call", "Domain", "derive"]
