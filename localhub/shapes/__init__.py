"""How the API shows each object: JSON with GitHub's keys. Reads the model, changes nothing."""

from localhub.shapes.checks import artifact, check_run, check_suite, job, run, workflow
from localhub.shapes.people import app, installation, profile, stamp, user
from localhub.shapes.pulls import file_change, issue, issue_comment, label, pull, reaction, review, review_comment
from localhub.shapes.repos import commit, content, git_commit, repo, ruleset, tree_entry

__all__ = [
    "app",
    "artifact",
    "check_run",
    "check_suite",
    "commit",
    "content",
    "file_change",
    "git_commit",
    "installation",
    "issue",
    "issue_comment",
    "job",
    "label",
    "profile",
    "pull",
    "reaction",
    "repo",
    "review",
    "review_comment",
    "ruleset",
    "run",
    "stamp",
    "tree_entry",
    "user",
    "workflow",
]
