"""Bare repositories, driven by the real git. Forks share their objects with the repository they come from.

On GitHub a fork's commit can be fetched by its SHA from the base repository. Here too: the `objects` folder of a fork
is a link to that of its base. For the same reason nothing is ever collected.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from localhub.diff import FileChange, file_changes

T = TypeVar("T")
SHA = re.compile(r"[0-9a-f]{40}")
ZERO = "0" * 40

_CONFIG = {
    "core.quotePath": "false",
    "core.fsync": "none",
    "gc.auto": "0",
    "receive.autogc": "false",
    "receive.denyDeleteCurrent": "ignore",
    "http.receivepack": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "uploadpack.allowFilter": "true",
    "transfer.hideRefs": "refs/localhub",
    "receive.hideRefs": "refs/pull",
}

#: Refuses what the hub named in the environment. GitHub's own words begin "GH013".
_UPDATE_HOOK = """#!/bin/sh
refuse() { echo "error: GH013: Repository rule violations found for $1." >&2; echo "- $2" >&2; exit 1; }
named() { case " $1 " in *" $2 "*) return 0;; esac; return 1; }
zero=0000000000000000000000000000000000000000
case "$1" in refs/heads/*|refs/tags/*) ;; *) refuse "$1" "only branches and tags can be pushed" ;; esac
if named "$LOCALHUB_NO_UPDATE" "$1"; then refuse "$1" "Changes must be made through a pull request."; fi
if [ "$3" = $zero ]; then
    if named "$LOCALHUB_NO_DELETE" "$1"; then refuse "$1" "Cannot delete this branch"; fi
elif [ "$2" != $zero ] && named "$LOCALHUB_NO_FORCE" "$1"; then
    git merge-base --is-ancestor "$2" "$3" || refuse "$1" "Cannot force-push to this branch"
fi
exit 0
"""


class GitError(Exception):
    """git said no; the text is what it said."""


def remembered(ask: Callable[..., T]) -> Callable[..., T]:
    """Ask git once: what is said of full SHAs never changes, as nothing is ever removed. `None` is asked again."""

    @functools.wraps(ask)
    def answer(self: Git, *args: Any, **kwargs: Any) -> T:
        key = (ask.__name__, *args, *sorted(kwargs.items()))
        known: T | None = self.memory.get(key)
        if known is None:
            known = ask(self, *args, **kwargs)
            if known is not None and SHA.fullmatch(str(args[0]).lstrip("^")):
                self.memory[key] = known
        return known

    return answer


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: str
    author_email: str
    author_date: str  # ISO 8601, in UTC with a Z
    committer: str
    committer_email: str
    committer_date: str
    message: str


@dataclass(frozen=True)
class Entry:
    """One entry of a tree; `size` in bytes, None for a folder."""

    mode: str
    type: str
    sha: str
    size: int | None
    path: str


class Git:
    """One bare repository at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.memory: dict[Any, Any] = {}  # one for all repositories that share objects

    def run(
        self, *args: str, input: bytes | None = None, env: Mapping[str, str] | None = None, ok: bool = True
    ) -> bytes:
        """git's standard output. Raises GitError when it fails, unless `ok` is False: then whatever it printed."""
        done = subprocess.run(
            ["git", "--git-dir", str(self.path), *args],
            input=input,
            capture_output=True,
            env=clean_env(env),
            check=False,
        )
        if done.returncode and ok:
            raise GitError(done.stderr.decode(errors="replace").strip() or f"git {args[0]} failed")
        return done.stdout

    def text(self, *args: str, ok: bool = True) -> str:
        return self.run(*args, ok=ok).decode(errors="replace").strip()

    @classmethod
    def create(cls, path: Path, default_branch: str, like: Git | None = None) -> Git:
        """A new bare repository; with `like`, a fork that shares its objects and starts with its branches and tags."""
        git = cls(path)
        (path / "refs" / "heads").mkdir(parents=True)
        (path / "hooks").mkdir()
        if like:
            git.memory = like.memory
            (path / "objects").symlink_to((like.path / "objects").resolve())
        else:
            (path / "objects").mkdir()
        (path / "HEAD").write_text(f"ref: refs/heads/{default_branch}\n")
        config = ["[core]", "\trepositoryformatversion = 0", "\tbare = true"]
        for name, value in _CONFIG.items():
            section, key = name.split(".")
            config += [f"[{section}]", f"\t{key} = {value}"]
        (path / "config").write_text("\n".join(config) + "\n")
        hook = path / "hooks" / "update"
        hook.write_text(_UPDATE_HOOK)
        hook.chmod(0o755)
        if like:
            for ref, sha in like.refs().items():
                if ref.startswith(("refs/heads/", "refs/tags/")):
                    git.set_ref(ref, sha)
        return git

    # Refs

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Every ref that begins with `prefix` → SHA, by name."""
        if not (self.path / "packed-refs").exists():
            files = (file for file in (self.path / "refs").rglob("*") if file.is_file() and file.suffix != ".lock")
            found = {file.relative_to(self.path).as_posix(): file.read_text().strip() for file in files}
            return {
                name: sha
                for name, sha in sorted(found.items())
                if name.startswith(prefix) and not name.startswith("refs/localhub/") and SHA.fullmatch(sha)
            }
        lines = self.text("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        pairs = (line.split(" ") for line in lines)
        return {name: sha for name, sha in pairs if name.startswith(prefix) and not name.startswith("refs/localhub/")}

    def ref(self, name: str) -> str | None:
        """The SHA of one full ref name; None when there is none."""
        if not name.startswith("refs/") or ".." in name or name.endswith(".lock"):
            return None
        try:
            return (self.path / name).read_text().strip()
        except OSError:
            if not (self.path / "packed-refs").exists():
                return None
        return self.text("rev-parse", "--verify", "--quiet", name, ok=False) or None

    def commit_sha(self, rev: str) -> str | None:
        """The commit that a branch, a tag or a SHA means; None when there is none. `rev` may come from anyone."""
        if rev.startswith("-") or any(ch in rev for ch in "~^:@{} \n"):
            return None
        if ("commit", rev) in self.memory:
            return rev
        for name in (rev,) if SHA.fullmatch(rev) else (f"refs/heads/{rev}", f"refs/tags/{rev}", rev):
            found = self.text("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", ok=False)
            if found:
                return found
        return None

    def set_ref(self, name: str, new: str, old: str | None = None) -> None:
        """Point `name` at `new`; with `old`, only if it is there now. Raises GitError."""
        if name.startswith("refs/pull/"):  # ours alone, so the file can be written without asking git
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(new + "\n")
            return
        self.run("update-ref", name, new, *([old] if old is not None else []))

    def delete_ref(self, name: str) -> None:
        self.run("update-ref", "-d", name)

    # Reading

    @remembered
    def commit(self, sha: str) -> Commit:
        return self.log(sha, limit=1)[0]

    def log(self, *revs: str, limit: int = 250, path: str | None = None) -> list[Commit]:
        """Commits reachable from `revs` (which may hold `^sha`), newest first."""
        form = "%H%x01%T%x01%P%x01%an%x01%ae%x01%aI%x01%cn%x01%ce%x01%cI%x01%B"
        out = self.run(
            "log",
            "-z",
            f"--max-count={limit}",
            f"--format={form}",
            "--end-of-options",
            *revs,
            "--",
            *([path] if path else []),
        )
        commits = []
        for piece in out.decode(errors="replace").split("\0"):
            if piece:
                f = piece.split("\x01", 9)
                dates = [datetime.fromisoformat(f[i]).astimezone(_UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for i in (5, 8)]
                parents = tuple(f[2].split())
                self.memory["commit", f[0]] = commit = Commit(
                    f[0], f[1], parents, f[3], f[4], dates[0], f[6], f[7], dates[1], f[9].strip("\n")
                )
                commits.append(commit)
        return commits

    @remembered
    def merge_base(self, one: str, other: str) -> str | None:
        return self.text("merge-base", one, other, ok=False) or None

    @remembered
    def is_ancestor(self, old: str, new: str) -> bool:
        done = subprocess.run(
            ["git", "--git-dir", str(self.path), "merge-base", "--is-ancestor", old, new],
            capture_output=True,
            env=clean_env(None),
            check=False,
        )
        return done.returncode == 0

    @remembered
    def ahead_behind(self, base: str, head: str) -> tuple[int, int]:
        """How many commits `head` has that `base` has not, and the other way round."""
        behind, ahead = self.text("rev-list", "--left-right", "--count", f"{base}...{head}").split()
        return int(ahead), int(behind)

    def tree(self, treeish: str, path: str = "", recursive: bool = False) -> list[Entry]:
        """Entries of a folder, with paths from the top. Raises GitError when `treeish` is none."""
        spec = f"{treeish}:{path}" if path else treeish
        flags = ["-r", "-t"] if recursive else []
        out = self.run("ls-tree", "-z", "-l", *flags, "--end-of-options", spec).decode(errors="replace")
        entries = []
        for line in out.split("\0"):
            if line:
                meta, name = line.split("\t", 1)
                mode, kind, sha, size = meta.split()
                full = f"{path}/{name}" if path else name
                entries.append(Entry(mode, kind, sha, None if size == "-" else int(size), full))
        return entries

    def entry(self, commit: str, path: str) -> Entry | None:
        """What is at `path` in `commit`: a file, a folder, or None."""
        path = path.strip("/")
        return self._listing(commit).get(path)

    @remembered
    def _listing(self, commit: str) -> dict[str, Entry]:
        """Everything in a commit, by path; "" is the top."""
        top = Entry("040000", "tree", self.commit(commit).tree, None, "")
        return {"": top} | {one.path: one for one in self.tree(commit, recursive=True)}

    @remembered
    def blob(self, sha: str) -> bytes:
        return self.run("cat-file", "blob", sha)

    def file(self, commit: str, path: str) -> bytes | None:
        """The bytes of a file in a commit; None where there is none."""
        entry = self.entry(commit, path)
        return self.blob(entry.sha) if entry and entry.type == "blob" else None

    @remembered
    def type(self, sha: str) -> str | None:
        """commit, tree, blob or tag; None for what is no full SHA, or of nothing here."""
        if not SHA.fullmatch(sha):
            return None
        return self.text("cat-file", "-t", sha, ok=False) or None

    @remembered
    def diff(self, old: str, new: str, path: str | None = None) -> list[FileChange]:
        """What changed from `old` to `new`, file by file."""
        where = ["--", f":(literal){path}"] if path else ["--"]
        flags = ["-M", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", old, new, *where]
        out = self.run("diff", "--raw", "--numstat", "-p", "-z", "--no-abbrev", *flags).decode(errors="replace")
        raw, _, text = out.partition("\0\0diff --git ")
        patches = re.split(r"^diff --git ", text, flags=re.M) if text else []
        return file_changes(raw, patches)

    @remembered
    def diff_text(self, old: str, new: str) -> str:
        return self.run("diff", "-M", "--no-color", "--full-index", old, new).decode(errors="replace")

    # Writing

    def write(
        self,
        parents: Sequence[str],
        changes: Mapping[str, str | bytes | None],
        message: str,
        name: str,
        email: str,
        when: datetime,
    ) -> str:
        """A new commit: the first parent's files with `changes` (None removes). Moves no branch; gives the SHA."""
        stamp = f"{int(when.timestamp())} +0000"
        body = message.encode()
        who = f"{name} <{email}> {stamp}".encode()
        lines = [b"commit refs/localhub/new", b"mark :1", b"author " + who, b"committer " + who]
        lines += [f"data {len(body)}".encode(), body]
        lines += [f"{'merge' if i else 'from'} {sha}".encode() for i, sha in enumerate(parents)]
        for path, content in changes.items():
            quoted = '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
            if content is None:
                lines.append(f"D {quoted}".encode())
            else:
                data = content.encode() if isinstance(content, str) else content
                mode = "100755" if data.startswith(b"#!") else "100644"
                lines += [f"M {mode} inline {quoted}".encode(), f"data {len(data)}".encode(), data]
        lines += [b"", b"get-mark :1", b"reset refs/localhub/new", f"from {ZERO}".encode(), b""]
        sha = self.run("fast-import", "--quiet", "--force", input=b"\n".join(lines)).decode().strip()
        self.memory["type", sha] = "commit"
        return sha

    def commit_tree(
        self, tree: str, parents: Sequence[str], message: str, name: str, email: str, when: datetime
    ) -> str:
        stamp = f"{int(when.timestamp())} +0000"
        env = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", name), ("EMAIL", email), ("DATE", stamp))
        }
        args = [piece for sha in parents for piece in ("-p", sha)]
        return self.run("commit-tree", tree, *args, "-F", "-", input=message.encode(), env=env).decode().strip()

    @remembered
    def merged_tree(self, one: str, other: str) -> str | None:
        """The tree of a merge of two commits; None when they conflict."""
        done = subprocess.run(
            ["git", "--git-dir", str(self.path), "merge-tree", "--write-tree", "--no-messages", one, other],
            capture_output=True,
            env=clean_env(None),
            check=False,
        )
        return done.stdout.decode().split("\n")[0] if done.returncode == 0 else None


def clean_env(extra: Mapping[str, str] | None) -> dict[str, str]:
    """An environment in which git looks at no configuration but the repository's own."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": tempfile.gettempdir(),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **(extra or {}),
    }


_UTC = datetime.fromisoformat("2000-01-01T00:00:00+00:00").tzinfo
