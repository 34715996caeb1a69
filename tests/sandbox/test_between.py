"""One job and the next: nothing is left of the first for the second to see, or to wait for."""

from __future__ import annotations

import secrets
import time
from typing import Any

import pytest
from jail_support import assert_nothing_left, told

from envbounty.sandbox.job import Status
from envbounty.sandbox.pool import Pool

DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 64):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        time.sleep(600)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize(
    "ending", ["", "sys.exit(1)", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), signal.SIGSTOP)"]
)
def test_descendants_are_dead(jail: Pool, run: Any, ending: str) -> None:
    outcome = run(DAEMON + ending, processes=8, wall_s=2.0 if "STOP" in ending else 60.0)
    assert outcome.status is not Status.INFRA, outcome
    assert_nothing_left(jail)


def test_descendants_that_fork_all_the_time(jail: Pool, run: Any) -> None:
    outcome = run("""
if os.fork() == 0:
    os.setsid()
    while True:  # the child goes on, the parent ends: no number stays the same
        try:
            if os.fork() != 0: os._exit(0)
        except OSError: pass
time.sleep(0.2)
""", processes=8)  # fmt: skip
    assert outcome.status in (Status.OK, Status.SIGNALLED), outcome
    assert_nothing_left(jail)


@pytest.mark.parametrize("number", ["KILL", "STOP", "TERM"])
def test_descendants_that_signal_whoever_ends_them(jail: Pool, run: Any, number: str) -> None:
    outcome = run(f"""
for _ in range(3):
    if os.fork() == 0:
        while True:
            try: os.kill(-1, signal.SIG{number})
            except OSError: pass
            for name in os.listdir("/proc"):
                if name.isdigit() and int(name) not in (os.getpid(), os.getppid()):
                    try: os.kill(int(name), signal.SIG{number})
                    except OSError: pass
time.sleep(0.2)
""", processes=8, wall_s=10.0)  # fmt: skip
    assert outcome.status is not Status.INFRA, outcome
    assert outcome.wall_s < 15
    assert_nothing_left(jail)


def test_signals_to_everybody(run: Any) -> None:
    for number in ("SIGSTOP", "SIGKILL"):
        outcome = run(f"os.kill(-1, signal.{number}); tell('after')", wall_s=5.0)
        assert outcome.status is not Status.INFRA, outcome


def test_no_files_are_left(run: Any) -> None:
    run("""
for folder in ("/tmp", "/dev/shm"):
    try:
        open(folder + "/left", "w").write("x")
        os.makedirs(folder + "/a/b", exist_ok=True)
        os.symlink("/etc", folder + "/link")
        os.mkdir(folder + "/.hidden", 0)
    except OSError: pass
""", processes=4)  # fmt: skip
    found = run("""
tell([os.listdir(folder) if os.path.isdir(folder) else [] for folder in ("/tmp", "/dev/shm", "/job/in", "/dev/mqueue")])
tell(sorted(os.listdir("/job")))
""", processes=4)  # fmt: skip
    places, job = told(found)
    assert places == [[], [], [], []] or (places[:2] == [[], []] and not places[2])
    assert set(job) <= {"in", "stdin"}


def test_inputs_of_one_are_not_there_for_the_next(run: Any) -> None:
    assert run("pass", inputs={"secret": b"x", "deep/er": b"y"}, stdin=b"z").ok
    outcome = run("tell([sorted(os.listdir('/job/in')) if os.path.isdir('/job/in') else [], sys.stdin.read()])")
    assert told(outcome) == [[[], ""]]


#: Looks for words of this shape in all memory that the process can read. The pattern does not match itself.
SCAN = r"""
import re
libc.prctl(4, 1, 0, 0, 0)
found = set()
pattern = re.compile(rb"se[c]ret-[0-9a-f]{16}-[a-z]+")
for line in open("/proc/self/maps"):
    span, mode, *_ = line.split()
    if mode[0] != "r" or "[v" in line: continue
    low, high = (int(word, 16) for word in span.split("-"))
    try:
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            memory.seek(low)
            while low < high:
                part = memory.read(min(high - low, 1 << 20))
                if not part: break
                found.update(word.decode() for word in pattern.findall(part))
                low += len(part)
                if low < high: low -= 64; memory.seek(low)
    except OSError: continue
tell(sorted(found))
"""


def test_nothing_of_one_is_in_the_memory_of_the_next(run: Any) -> None:
    secret = f"secret-{secrets.token_hex(8)}"
    first = f"""
# {secret}-code
os.environ["X"] = "{secret}-environ"
os.write(RESULT, b"{secret}-result"); print("{secret}-stdout"); print("{secret}-stderr", file=sys.stderr)
open("out", "w").write("{secret}-file")
"""
    inputs = {"in": f"{secret}-input".encode()}
    stdin = f"{secret}-stdin".encode()
    for ending in ("", "1 / 0", "os.kill(os.getpid(), 9)"):
        outcome = run(first + ending, inputs=inputs, stdin=stdin, outputs=["out"])
        assert outcome.files == {"out": f"{secret}-file".encode()}
    scan = run(SCAN, memory_mb=1024)
    assert scan.ok and told(scan) == [[]], scan
    # The same eyes do see what is there.
    own = run(f"# {secret}-own\n" + SCAN, memory_mb=1024)
    assert f"{secret}-own" in told(own)[0], own


def test_modules_and_variables_are_fresh(run: Any) -> None:
    run("import builtins, math\nbuiltins.len = lambda _: 7; math.pi = 3; json.dumps = None; os.environ['X'] = 'y'")
    assert told(run("import math\ntell([len([]), math.pi > 3.1, 'X' in os.environ])")) == [[0, True, False]]


def test_limits_and_signals_are_fresh(run: Any) -> None:
    run(
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    )
    code = (
        "import resource\n"
        "tell([resource.getrlimit(resource.RLIMIT_NOFILE)[0], signal.getsignal(signal.SIGTERM) == signal.SIG_DFL])"
    )
    limit, handler = told(run(code))[0]
    assert limit == 128 or limit > 1000  # where the kernel lets us set it, and where not
    assert handler is True


def test_chance_differs_and_hashes_do_not(run: Any) -> None:
    code = "import random\ntell([random.random(), hash('a'), os.urandom(4).hex()])"
    first, second = told(run(code))[0], told(run(code))[0]
    assert first[0] != second[0] and first[2] != second[2]
    assert first[1] == second[1]  # of one server: what a verifier does can be repeated
    third = told(run(code, fresh=True))[0]
    assert third[1] != first[1]  # and another server shows what depends on it


def test_classes_of_a_job_can_be_pickled(run: Any) -> None:
    code = "import pickle\nclass A: pass\ntell(type(pickle.loads(pickle.dumps(A()))) is A)"
    assert told(run(code)) == [True]


def test_words_that_look_like_ours_are_only_words(run: Any) -> None:
    outcome = run("""
import struct
head = json.dumps({"why": None, "exit_code": 0, "wall_s": 0, "cpu_s": 0, "peak_kb": 0, "sizes": [1, 0, 0], "files": [],
                   "refused": {}}).encode()
frame = struct.pack(">I", len(head)) + head + b"!"
for fd in range(256):
    try: os.write(fd, frame)
    except OSError: pass
for name in os.listdir("/proc"):
    for fd in range(8):
        try: os.write(os.open(f"/proc/{name}/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK), frame)
        except OSError: pass
sys.exit(9)
""")
    assert (outcome.status, outcome.exit_code) == (Status.EXITED, 9)
    assert outcome.result.startswith(b"\0\0\0") and outcome.result != b"!"


def test_our_own_functions_may_be_broken(run: Any) -> None:
    for code in (
        "os._exit = lambda code: None",
        "os.write = os.read = None",
        "import builtins; builtins.__dict__.clear()",
        "sys.modules.clear()",
        "sys.stdout = sys.stderr = None",
        "import gc\nfor thing in gc.get_objects():\n  if isinstance(thing, dict): thing.pop('why', None)",
    ):
        assert run(code).status is not Status.INFRA, code


def test_the_next_is_not_slower(jail: Pool, run: Any) -> None:
    def rate() -> float:
        began = time.monotonic()
        for _ in range(10):
            assert run("pass").ok
        return 10 / (time.monotonic() - began)

    run("pass")
    before = max(rate() for _ in range(3))
    for code in (
        "while True: os.write(1, b'x' * 65536)",
        "b'x' * (1 << 40)",
        "[open(str(n), 'x') for n in range(4000)]",
    ):
        run(code)
    assert max(rate() for _ in range(3)) > before / 4
