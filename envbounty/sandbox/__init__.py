"""Running untrusted code: one protocol, a warm server that forks a fresh jail per job, and two outer jails for it.

It must not know what an environment or a verifier is, and nothing here may decide whether a result is good.
"""

from envbounty.sandbox.job import Jail, JailUnavailable, Job, Limits, Outcome, Status

__all__ = ["Jail", "JailUnavailable", "Job", "Limits", "Outcome", "Status"]
