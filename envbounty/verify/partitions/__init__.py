"""Natural classes of JSON values, and instances made to be in one.

Coverage of lines says little about a set of tests; which *kinds of input* it never tries says a lot. This package knows
the kinds: for each path into the arguments, the partitions of its type, and for two arguments how they relate.
"""

from __future__ import annotations

from envbounty.verify.partitions.classes import Class, candidates, classes_of, holds, unvisited, visited
from envbounty.verify.partitions.make import members
from envbounty.verify.partitions.source import predicate_source

__all__ = ["Class", "candidates", "classes_of", "holds", "members", "predicate_source", "unvisited", "visited"]
