"""Laying down files to start from: a new environment, or a whole bounty repository.

It knows the templates and the rules for names; it must not know what the environments in them do, nor ever
change a file that is there already.
"""

from envbounty.scaffold.environment import KINDS, new_environment
from envbounty.scaffold.repository import init_repository

__all__ = ["KINDS", "init_repository", "new_environment"]
