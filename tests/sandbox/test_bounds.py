"""What a job can use: time, memory, processes, files and words, whatever it does to get more."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from jail_support import told

from envbounty.sandbox.job import Job, Limits, Outcome, Status
from envbounty.sandbox.pool import Pool

#: On a busy machine everything takes longer; a limit that does not hold takes for ever.
SLACK_S = 20.0


# --- time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [
    "time.sleep(600)",
    "while True: pass",
    "for number in (15, 2, 1, 14): signal.signal(number, signal.SIG_IGN)\n"
    "while True: time.sleep(1)",
    "os.kill(os.getpid(), signal.SIGSTOP); time.sleep(600)",
    "os.closerange(0, 4); time.sleep(600)",
    "'(' * 10; compile('x' + '+x' * 10, 'a', 'eval'); __import__('re').match(r'(a|a)*b', 'a' * 64)",
])  # fmt: skip
def test_wall_time(run: Any, code: str) -> None:
    began = time.monotonic()
    outcome = run(code, wall_s=1.0, cpu_s=100)
    assert outcome.status is Status.WALL, outcome
    assert time.monotonic() - began < 1.0 + SLACK_S


def test_wall_time_of_a_group(run: Any) -> None:
    outcome = run("for _ in range(3): os.fork()\nwhile True: time.sleep(1)", wall_s=1.0, processes=16)
    assert outcome.status is Status.WALL, outcome


@pytest.mark.parametrize("code", [
    "while True: pass",
    "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
    "[threading.Thread(target=lambda: sum(iter(int, 1))).start() for _ in range(4)]",
])  # fmt: skip
def test_processor_time(run: Any, code: str) -> None:
    outcome = run(code, cpu_s=1)
    assert outcome.status is Status.CPU, outcome


def test_processor_time_of_a_group(run: Any) -> None:
    """Each process alone is within the limit; generations that hand over to one another are too."""
    code = """
def burn(until):
    while time.process_time() < until: pass
for _ in range(60):
    if os.fork() == 0:
        burn(0.9)
        os._exit(0)
    os.wait()
"""
    outcome = run(code, cpu_s=2, processes=8, wall_s=200)
    assert outcome.status is Status.CPU, outcome


# --- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [
    "b'x' * (1 << 30)",
    "kept = []\nwhile True: kept.append(bytearray(1 << 20))",
    "kept = []\nwhile True: kept.append([None] * 1000)",
    "'x' * 10 ** 12",
])  # fmt: skip
def test_memory_of_one_process(run: Any, code: str) -> None:
    assert run(code, memory_mb=128).status is Status.MEMORY


def test_memory_summed_over_processes(run: Any) -> None:
    code = """
for _ in range(6):
    if os.fork() == 0:
        kept = bytearray(100 << 20)
        for place in range(0, len(kept), 4096): kept[place] = 1
        time.sleep(600)
time.sleep(600)
"""
    outcome = run(code, memory_mb=256, processes=8)
    assert outcome.status is Status.MEMORY, outcome


def test_memory_that_a_group_may_use(run: Any) -> None:
    code = """
for _ in range(3):
    if os.fork() == 0:
        kept = bytearray(20 << 20)
        time.sleep(0.3)
        os._exit(0)
for _ in range(3): os.wait()
"""
    assert run(code, memory_mb=256, processes=8).ok


HIDDEN = {
    "memfd": "fd = os.memfd_create('x')\nwhile True: os.write(fd, bytes(1 << 20))",
    "shared and anonymous": """
import mmap
for _ in range(7):  # each child holds what its parent lets go of, and has not touched it
    shared = mmap.mmap(-1, 100 << 20)
    for place in range(0, len(shared), 4096): shared[place] = 1
    if os.fork() == 0: time.sleep(600)
    shared.close()
""",
    "shared and of /dev/zero": """
import mmap
fd = os.open("/dev/zero", os.O_RDWR)
for _ in range(7):
    shared = mmap.mmap(fd, 100 << 20)
    for place in range(0, len(shared), 4096): shared[place] = 1
    if os.fork() == 0: time.sleep(600)
    shared.close()
""",
    "System V": "syscall(29, 0, 1 << 30, 0o1666)",
    "secret": "syscall(447, 0)",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_memory_that_no_process_counts(run: Any, how: str) -> None:
    outcome = run(HIDDEN[how], memory_mb=256, processes=16, wall_s=20)
    assert outcome.status in (Status.MEMORY, Status.EXITED), outcome
    if outcome.status is Status.EXITED:
        assert b"Error" in outcome.stderr


def test_memory_in_pipes_and_sockets(run: Any) -> None:
    """The kernel's buffers are bounded by the number of descriptors."""
    outcome = run("""
total, ends = 0, []
try:
    while True:
        pair = socket.socketpair()
        ends.append(pair)
        pair[0].setblocking(False)
        try:
            while True: total += pair[0].send(bytes(1 << 16))
        except BlockingIOError: pass
except OSError: pass
tell(total)
""")
    assert outcome.ok and told(outcome)[0] < 64 << 20


# --- processes -------------------------------------------------------------------------------------------------------


def test_no_second_process(run: Any) -> None:
    outcome = run("""
import subprocess
attempt("fork", os.fork)
attempt("spawn", lambda: os.posix_spawn("/bin/true", ["true"], {}))
attempt("subprocess", lambda: subprocess.run(["/bin/true"]))
attempt("vfork", lambda: syscall(58))
tell("done")
""")
    assert [verdict for _, verdict, _ in told(outcome)[:-1]] == ["refused"] * 4, outcome


FORK_BOMB = """
count = 0
try:
    while count < 3000:
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        count += 1
except OSError: pass
tell(count)
"""


def test_fork_bomb(run: Any) -> None:
    outcome = run(FORK_BOMB, processes=8)
    if outcome.status is Status.SIGNALLED:  # gVisor has no limit on processes, so they are counted
        assert "more than 8 processes" in outcome.detail
    else:
        assert outcome.ok and 3 <= told(outcome)[0] < 16, outcome


def test_fork_bomb_of_everybody(run: Any) -> None:
    outcome = run("while True:\n  try: os.fork()\n  except OSError: pass", processes=16, wall_s=2.0, cpu_s=100)
    assert outcome.status in (Status.WALL, Status.MEMORY, Status.SIGNALLED), outcome


def test_thread_bomb(run: Any) -> None:
    outcome = run("""
count = 0
try:
    while count < 3000:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        count += 1
except RuntimeError: pass
tell(count)
os._exit(0)
""", memory_mb=2048)  # fmt: skip
    if outcome.status is Status.SIGNALLED:
        assert "processes" in outcome.detail
    else:
        assert outcome.ok and 8 <= told(outcome)[0] <= 40, outcome


def test_some_processes_and_threads_are_allowed(run: Any) -> None:
    assert run("""
threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""").ok  # fmt: skip
    outcome = run("""
import subprocess
for _ in range(3):
    if os.fork() == 0: os._exit(subprocess.run(["/bin/echo", "child"]).returncode)
for _ in range(3): assert os.wait()[1] == 0
""", processes=8)  # fmt: skip
    assert outcome.ok and outcome.stdout == b"child\n" * 3, outcome


# --- files -----------------------------------------------------------------------------------------------------------

#: Finds every place that can be written, then fills them all.
FILL = """
places = []
for folder, folders, files in os.walk("/"):
    depth = folder.count("/")
    if folder == "/proc": folders[:] = ["self", "sys", "1"]
    if folder.startswith("/proc") and depth > 3: folders.clear()
    if folder.startswith("/sys") and depth > 3: folders.clear()
    try:
        os.close(os.open(folder + "/probe", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.unlink(folder + "/probe")
        places.append(folder)
    except OSError: pass
total = 0
for folder in places:
    for number in range(100):
        try:
            with open(f"{folder}/fill{number}", "wb", buffering=0) as file:
                while True: total += file.write(bytes(1 << 16))
        except OSError as error:
            if error.errno != errno.EFBIG: break
tell([places, total])
"""


@pytest.mark.parametrize("processes", [1, 8])
def test_all_writable_places_together(run: Any, processes: int) -> None:
    outcome = run(FILL, scratch_mb=8, processes=processes, wall_s=240, cpu_s=200)
    assert outcome.ok, outcome
    places, total = told(outcome)[0]
    assert "/tmp" in places and set(places) <= {"/tmp", "/dev/shm"}, places
    assert 4 << 20 <= total <= 8 << 20


def test_no_file_elsewhere_can_be_changed(run: Any) -> None:
    outcome = run("""
for folder, folders, files in os.walk("/"):
    if folder == "/": folders[:] = set(folders) - {"proc", "sys", "tmp"}
    for name in files:
        path = f"{folder}/{name}"
        try:
            if os.access(path, os.W_OK) and not os.path.islink(path) and os.path.isfile(path): tell(path)
        except OSError: pass
""", wall_s=240, cpu_s=200)  # fmt: skip
    assert outcome.ok and told(outcome) == []


def test_one_huge_file(run: Any) -> None:
    outcome = run("""
with open("big", "wb", buffering=0) as file:
    attempt("write", lambda: [file.write(bytes(1 << 20)) for _ in range(1000)])
tell(os.path.getsize("big"))
""", scratch_mb=8, outputs=["big"])  # fmt: skip
    (_, verdict, _), size = told(outcome)
    assert outcome.ok and verdict == "refused" and size <= 8 << 20


def test_a_program_that_writes_too_large_a_file(jail: Pool) -> None:
    job = Job(argv=["/bin/sh", "-c", "exec cat /dev/urandom > big"], limits=Limits(scratch_mb=4, wall_s=60))
    outcome = jail.run(job)
    assert outcome.status in (Status.OUTPUT, Status.EXITED), outcome


def test_inode_bomb(run: Any) -> None:
    outcome = run("""
count = 0
try:
    while count < 20000:
        open(f"f{count}", "x").close()
        count += 1
except OSError: pass
tell(count)
""", wall_s=120, cpu_s=100)  # fmt: skip
    assert outcome.ok
    # Debian's old gVisor does not know the limit; its files are then memory of the container.
    assert told(outcome)[0] <= 4096 or "runsc" in outcome_backend(run)


def outcome_backend(run: Any) -> str:
    return str(run.__closure__[0].cell_contents.name)


def test_deep_folders(run: Any) -> None:
    """The next job must not find them, nor wait for them to be removed."""
    assert run("""
for _ in range(2000):
    os.mkdir("d" * 100, 0o700)
    os.chdir("d" * 100)
os.mkdir("locked", 0)
""", wall_s=120).ok  # fmt: skip
    assert told(run("tell(os.listdir('/tmp'))")) == [[]]


# --- words -----------------------------------------------------------------------------------------------------------


def memory_kb(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise LookupError(key)


@pytest.mark.parametrize("where", ["1", "2", "RESULT"])
@pytest.mark.parametrize("also", ["", "os.fork(); os.fork()\n"])
def test_endless_output(run: Any, where: str, also: str) -> None:
    code = f"{also}signal.signal(signal.SIGPIPE, signal.SIG_IGN)\nwhile True: os.write({where}, b'A' * 65536)"
    Path("/proc/self/clear_refs").write_text("5")  # our own peak starts anew
    before = memory_kb("VmRSS")
    outcome = run(code, output_kb=64, processes=8 if also else 1)
    assert outcome.status is Status.OUTPUT, outcome
    assert {len(outcome.stdout), len(outcome.stderr), len(outcome.result)} == {0, 64 << 10}
    assert memory_kb("VmHWM") - before < 8 << 10


def test_as_much_output_as_allowed(run: Any) -> None:
    outcome = run("os.write(1, b'A' * 65536); os.write(2, b'B' * 65536); os.write(RESULT, b'C' * 65536)", output_kb=64)
    assert outcome.ok
    assert (outcome.stdout, outcome.stderr, outcome.result) == (b"A" * 65536, b"B" * 65536, b"C" * 65536)


def test_a_burst_before_the_end(run: Any) -> None:
    assert run("os.set_blocking(1, False); os.write(1, b'A' * 65536)", output_kb=63).status is Status.OUTPUT


# --- how it ended ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "status", "exit_code"), [
    ("pass", Status.OK, 0),
    ("sys.exit(3)", Status.EXITED, 3),
    ("sys.exit('words')", Status.EXITED, 1),
    ("1 / 0", Status.EXITED, 1),
    ("syntax error", Status.EXITED, 1),
    ("x = '\\udc80'", Status.OK, 0),
    ("os._exit(86)", Status.MEMORY, 86),
    ("os._exit(100)", Status.EXITED, 100),  # what our own processes mean by these is no business of a job's
    ("os._exit(101)", Status.EXITED, 101),
    ("os._exit(102)", Status.EXITED, 102),
    ("os.kill(os.getpid(), signal.SIGKILL)", Status.SIGNALLED, -9),
    ("os.abort()", Status.SIGNALLED, -6),
    ("ctypes.string_at(0)", Status.SIGNALLED, -11),
    ("def f(): f()\nf()", Status.EXITED, 1),
])  # fmt: skip
def test_endings(run: Any, code: str, status: Status, exit_code: int) -> None:
    outcome = run(code)
    assert (outcome.status, outcome.exit_code) == (status, exit_code), outcome


def test_code_that_cannot_be_encoded(jail: Pool) -> None:
    outcome: Outcome = jail.run(Job(code="x = '\ud800'"))
    assert outcome.status is Status.EXITED and b"surrogates" in outcome.stderr


def test_a_program_that_is_not_there(jail: Pool) -> None:
    outcome = jail.run(Job(argv=["/no/such/program"]))
    assert (outcome.status, outcome.exit_code) == (Status.EXITED, 127)
    assert outcome.stderr == b"cannot execute /no/such/program: [Errno 2] No such file or directory\n"


def test_usage_is_measured(run: Any) -> None:
    outcome = run("kept = bytearray(50 << 20)\nwhile time.process_time() < 0.3: pass")
    assert 0.25 < outcome.cpu_s < 5 and 0.25 < outcome.wall_s < 50 and 50 < outcome.peak_mb < 200, outcome
