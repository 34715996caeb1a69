"""Smells: what Semgrep says about the author's code. Hints on where to look first, never proof that something is wrong.

It must not run anything of the author's, and no check may accept or clear an environment by what is said here.
"""

from envbounty.verify.smells.look import Look, Smell, look
from envbounty.verify.smells.scanner import Scanner

__all__ = ["Look", "Scanner", "Smell", "look"]
