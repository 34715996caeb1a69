"""The shipped filters are what their source says, and every rule in it holds in a real jail."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import pytest
from jail_support import PRELUDE, runner, told

from envbounty.sandbox import seccomp
from envbounty.sandbox.job import Job, Limits
from envbounty.sandbox.pool import Pool

pyseccomp = pytest.importorskip("pyseccomp", exc_type=ImportError)
source: Any = pytest.importorskip("envbounty.sandbox.seccomp.__main__", exc_type=ImportError)

#: The filters were compiled with libseccomp 2.5: another series may order or know the calls differently.
COMPILED_WITH = 5


def test_shipped_filters_are_up_to_date() -> None:
    if pyseccomp.get_api() < COMPILED_WITH:
        pytest.skip("this libseccomp is older than the one that the filters were compiled with")
    folder = Path(seccomp.__file__).parent
    for architecture in ("x86_64", "aarch64"):
        for which in ("one", "many"):
            fresh = source.compile_filter(architecture, which == "one")
            shipped = (folder / f"{architecture}-{which}.bpf").read_bytes()
            assert shipped == fresh, "run: python -m envbounty.sandbox.seccomp"


@pytest.mark.parametrize(("machine", "other"), [("x86_64", "amd64"), ("aarch64", "arm64")])
def test_machines(machine: str, other: str) -> None:
    assert seccomp.filters(machine) == seccomp.filters(other)
    assert set(seccomp.filters(machine)) == {"one", "many"}
    assert all(len(text) % 16 == 0 and len(text) > 1000 for text in seccomp.filters(machine).values())


def test_no_filter_for_other_machines() -> None:
    with pytest.raises(LookupError, match="riscv64"):
        seccomp.filters("riscv64")


GROUPS = ("MOUNTS", "NAMESPACES", "KERNEL", "OTHERS", "UNCOUNTED", "CHANNELS", "HOST_DISKS")


def numbers(names: str) -> dict[str, int]:
    """What these calls are called by the kernel of this machine; those that it never had are left out."""
    found = {}
    for name in names.split():
        try:
            number = pyseccomp.resolve_syscall(pyseccomp.system_arch(), name)
        except (OSError, ValueError):
            continue
        if number >= 0:
            found[name] = number
    return found


TRY = """
for name, number in calls.items():
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6)
    tell([name, ctypes.get_errno()])
"""


@pytest.mark.parametrize("group", GROUPS)
def test_each_call_is_refused(jail: Pool, group: str) -> None:
    calls = numbers(getattr(source, group))
    assert calls
    outcome = runner(jail)(f"calls = {calls!r}\n" + TRY)
    assert outcome.ok, outcome
    # With nonsense for arguments the kernel itself would say EINVAL, EFAULT, EBADF or ENOSYS.
    assert dict(told(outcome)) == dict.fromkeys(calls, 1)


def test_calls_on_others_are_refused_and_on_oneself_allowed(run: Any) -> None:
    calls = numbers(" ".join(source.OTHERS_BY_NUMBER))
    outcome = run(f"""
calls, where = {calls!r}, {source.OTHERS_BY_NUMBER!r}
for name, number in calls.items():
    arguments = [ctypes.c_long(0)] * 6
    arguments[where[name]] = ctypes.c_long(os.getppid() or 1)
    if name == "ioprio_set": arguments[0] = ctypes.c_long(1)
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), *arguments)
    tell([name, ctypes.get_errno()])
import resource
resource.getrlimit(resource.RLIMIT_CPU); os.sched_setaffinity(0, os.sched_getaffinity(0)); os.nice(1)
""")
    assert outcome.ok, outcome
    assert dict(told(outcome)) == dict.fromkeys(calls, 1)


def test_other_ways_to_a_process(run: Any) -> None:
    clone3 = numbers("clone3")["clone3"]
    outcome = run(f"""
ctypes.set_errno(0)
libc.syscall(ctypes.c_long({clone3}), 0, 0); tell(ctypes.get_errno())
ctypes.set_errno(0)
if libc.syscall(ctypes.c_long({numbers("clone")["clone"]}), 17, 0, 0, 0, 0) == 0: os._exit(0)
tell(ctypes.get_errno())
""")
    assert told(outcome) == [38, 1]


@pytest.mark.parametrize("flag", source.NAMESPACE_FLAGS)
def test_no_namespace_by_clone(jail: Pool, flag: int) -> None:
    code = (
        PRELUDE
        + f"""
ctypes.set_errno(0)
if libc.syscall(ctypes.c_long({numbers("clone")["clone"]}), ctypes.c_long({flag | 17}), 0, 0, 0, 0) == 0: os._exit(0)
tell(ctypes.get_errno())
"""
    )
    assert told(jail.run(Job(code=code, limits=Limits(processes=4, wall_s=60)))) == [1]


@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_only_local_sockets(run: Any, call: str) -> None:
    outcome = run(f"""
for family in range(46):
    pair = (ctypes.c_int * 2)()
    ctypes.set_errno(0)
    libc.{call}(family, 1, 0, pair)
    tell([family, ctypes.get_errno()])
""")
    refused = {family for family, error in told(outcome) if error == 1}
    assert refused == set(range(46)) - {1}


def test_shared_memory_without_a_file(jail: Pool) -> None:
    code = PRELUDE + "import mmap\nattempt('map', lambda: mmap.mmap(-1, 4096))"
    assert told(jail.run(Job(code=code)))[0][1] == "REACHED"  # one process counts all that it has
    assert told(jail.run(Job(code=code, limits=Limits(processes=2))))[0][1] == "refused"


def test_a_job_cannot_take_it_off(run: Any) -> None:
    outcome = run("""
def prctl(*words):
    if libc.prctl(*words) != 0: raise OSError(ctypes.get_errno(), "prctl")
attempt("disable", lambda: prctl(22, 0, 0, 0, 0))
attempt("privileges", lambda: prctl(38, 0, 0, 0, 0))
attempt("memfd", lambda: os.memfd_create("x"))
""")
    assert {verdict for _, verdict, _ in told(outcome)} == {"refused"}, outcome


def test_machine_has_a_filter() -> None:
    assert seccomp.MACHINES.get(platform.machine()) in (None, "x86_64", "aarch64")
