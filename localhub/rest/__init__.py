"""GitHub's REST API, one module for each group of operations. Importing this registers them all."""

from localhub.rest import actions, apps, checks, commits, contents, issues, pulls, repos, reviews, rulesets, users
from localhub.rest.core import OPERATIONS, Answer, Call, Operation, authorize, finish

__all__ = [
    "OPERATIONS",
    "Answer",
    "Call",
    "Operation",
    "actions",
    "apps",
    "authorize",
    "checks",
    "commits",
    "contents",
    "finish",
    "issues",
    "pulls",
    "repos",
    "reviews",
    "rulesets",
    "users",
]
