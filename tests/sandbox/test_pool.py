"""The pool of servers: threads, closing, Ctrl-C, and jails that break under a job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jail_support import NOBODY, PRELUDE, assert_works

from envbounty.sandbox.docker import LABEL, MACHINE_LABEL, Docker, machine, owner, sweep
from envbounty.sandbox.job import Job, Limits, Outcome, Status
from envbounty.sandbox.pool import MAX_JOBS, Pool
from envbounty.sandbox.worker import UIDS_PER_SERVER, Broken, Shape, Worker, new_uids


def running(pool: Pool, job: Job) -> tuple[threading.Thread, list[Outcome]]:
    """Start a job in a thread and wait until it has a server."""
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(pool.run(job)))
    thread.start()
    wait_until(lambda: bool(pool._busy))
    time.sleep(0.3)
    return thread, outcomes


def wait_until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def kill_server(worker: Worker) -> None:
    channel: Any = worker.channel
    if hasattr(channel, "process"):
        channel.process.kill()
    else:
        channel._container.kill()


def test_a_server_killed_under_a_job(new_jail: Pool) -> None:
    thread, outcomes = running(new_jail, Job(code="import time; time.sleep(1); print('done')"))
    kill_server(next(iter(new_jail._busy)))
    thread.join(60)
    assert [outcome.stdout for outcome in outcomes] == [b"done\n"]  # in another jail


def test_a_server_killed_each_time(new_jail: Pool) -> None:
    thread, outcomes = running(new_jail, Job(code="import time; time.sleep(30)", limits=Limits(wall_s=60)))
    while thread.is_alive():
        for worker in list(new_jail._busy):
            kill_server(worker)
        thread.join(1.0)
    assert [outcome.status for outcome in outcomes] == [Status.INFRA]
    assert_works(new_jail)


def test_closing_under_a_job(new_jail: Pool) -> None:
    thread, outcomes = running(new_jail, Job(code="import time; time.sleep(30)", limits=Limits(wall_s=60)))
    began = time.monotonic()
    new_jail.close()
    thread.join(30)
    assert [outcome.status for outcome in outcomes] == [Status.INFRA]
    assert time.monotonic() - began < 20
    assert new_jail._busy == set() and new_jail._free == []
    new_jail.close()
    assert new_jail.run(Job(code="pass")).status is Status.INFRA


def test_nothing_is_kept_open(new_jail: Pool) -> None:
    def count() -> int:
        if isinstance(new_jail.backend, Docker):
            new_jail.backend._client.close()  # it keeps up to 25 idle connections to the engine
        return len(os.listdir("/proc/self/fd"))

    new_jail.run(Job(code="pass"), fresh=True)
    before = count()
    for _ in range(3):
        assert new_jail.run(Job(code="pass"), fresh=True).ok
    assert count() <= before


def test_many_threads(new_jail: Pool) -> None:
    def one(number: int) -> bool:
        code = f"import os\nos.write(RESULT, b'{number}')\nprint(open(JOB_IN + '/n').read())"
        limits = Limits(memory_mb=256 + number % 2)
        outcome = new_jail.run(Job(code=code, inputs={"n": str(number).encode()}, limits=limits))
        return (outcome.result, outcome.stdout) == (str(number).encode(), f"{number}\n".encode())

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(one, range(100)))
    assert new_jail._busy == set() and len(new_jail._free) <= 4


def test_two_jobs_at_once_do_not_meet(new_jail: Pool) -> None:
    """Neither in files, nor in sockets, nor in shared memory, and each can be killed without the other."""
    code = (
        PRELUDE
        + """
met = []
name = chr(0) + "meet"
listener = socket.socket(socket.AF_UNIX)
try: listener.bind(name); listener.listen()
except OSError as error: met.append(str(error))
for folder in ("/tmp", "/dev/shm"):
    try:
        if os.listdir(folder): met.append(folder)
        open(folder + "/meet" + os.urandom(4).hex(), "w")
    except OSError: pass
time.sleep(0.5)
met += [name for name in os.listdir("/tmp")[1:]]
try: os.kill(-1, signal.SIGKILL)
except OSError: pass
tell(met)
"""
    )
    with ThreadPoolExecutor(2) as threads:
        outcomes = list(threads.map(lambda _: new_jail.run(Job(code=code, limits=Limits(processes=4))), range(2)))
    assert [outcome.result for outcome in outcomes if outcome.status is not Status.SIGNALLED] in (
        [b"[]\n", b"[]\n"], [b"[]\n"], []), outcomes  # fmt: skip
    assert all(outcome.status is not Status.INFRA for outcome in outcomes)


def test_the_thread_that_started_a_server_may_end(new_jail: Pool) -> None:
    seed = "import os\nos.write(RESULT, str(hash('a')).encode())"
    new_jail.run(Job(code="pass"), fresh=True)
    limits = Limits(memory_mb=300)
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(new_jail.run(Job(code=seed, limits=limits))))
    thread.start()
    thread.join()
    time.sleep(0.3)
    outcomes.append(new_jail.run(Job(code=seed, limits=limits)))
    assert outcomes[0].result == outcomes[1].result != b""  # the same server: it is alive


def test_fresh_is_a_server_that_has_run_nothing(new_jail: Pool) -> None:
    hashes = {new_jail.run(Job(code="import os\nos.write(RESULT, str(hash('a')).encode())"), fresh=True).result
              for _ in range(3)}  # fmt: skip
    assert len(hashes) == 3


def test_a_server_that_has_run_many_is_replaced(new_jail: Pool) -> None:
    new_jail.run(Job(code="pass"))
    worker = new_jail._free[0]
    worker.jobs = MAX_JOBS - 1
    new_jail.run(Job(code="pass"))
    assert worker not in new_jail._free
    assert_works(new_jail)


def test_no_server_runs_out_of_uids_and_no_two_share_any() -> None:
    assert MAX_JOBS + 1 < UIDS_PER_SERVER
    blocks = [new_uids() for _ in range(50)]
    assert all(uid % UIDS_PER_SERVER == 0 and 2**30 < uid < 2**31 - UIDS_PER_SERVER for uid in blocks)
    assert len(set(blocks)) >= 49


# --- when we ourselves are ended -------------------------------------------------------------------------------------

SCRIPT = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored when the tests run in a shell's background
sys.path[:0] = {path!r}
from envbounty.sandbox.bubblewrap import Bubblewrap
from envbounty.sandbox.docker import Docker
from envbounty.sandbox.job import Job, Limits
from envbounty.sandbox.pool import Pool
pool = Pool({backend}, 1)
try:
    pool.run(Job(code="pass", limits=Limits(wall_s={wall}, processes=8)))
    print("ready", flush=True)
    code = '''
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        break
time.sleep(600)
'''
    pool.run(Job(code=code, limits=Limits(wall_s={wall}, processes=8)))
finally:
    pool.close()
    print("closed", flush=True)
"""


@pytest.fixture
def script(backend_name: str, shared_jail: Pool) -> Iterator[Callable[[float], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(wall_s: float) -> subprocess.Popen[str]:
        if backend_name.startswith("docker"):
            backend = f"Docker(runtime={backend_name.removeprefix('docker-')!r})"
        elif backend_name == "bubblewrap-user" and os.geteuid() == 0:
            made: Any = shared_jail.backend
            backend = f"Bubblewrap(user={NOBODY}, bwrap={made.bwrap!r}, python={made.python!r})"
        else:
            backend = "Bubblewrap()"
        text = SCRIPT.format(path=sys.path, backend=backend, wall=wall_s)
        process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout and process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def descendants(pid: int) -> set[int]:
    found: set[int] = set()
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in [int(word) for word in (thread / "children").read_text().split()]:
            found |= {child} | descendants(child)
    return found


def containers_of(pid: int) -> list[Any]:
    docker = pytest.importorskip("docker")
    name = owner(pid)
    labels = [f"{MACHINE_LABEL}={machine()}", *([f"{LABEL}={name}"] if name else [])]
    found = docker.from_env().containers.list(all=True, filters={"label": labels}, ignore_removed=True)
    return [container for container in found if container.labels[LABEL].startswith(f"{pid}:")]


def test_when_we_are_killed_so_are_they(script: Callable[[float], Any], backend_name: str) -> None:
    process = script(600.0)
    if backend_name.startswith("docker"):
        wait_until(lambda: len(containers_of(process.pid)) == 1)
        process.kill()
        process.wait()
        time.sleep(0.5)
        sweep(Docker(runtime="runc")._client)  # as whoever opens the next jail does
        wait_until(lambda: containers_of(process.pid) == [])
    else:
        wait_until(lambda: len(descendants(process.pid)) >= 7)
        theirs = descendants(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in theirs))


@pytest.mark.docker
@pytest.mark.parametrize("backend_name", ["docker-runc"], indirect=True)
def test_a_container_ends_by_itself_when_we_are_killed(script: Callable[[float], Any]) -> None:
    """Not so one of gVisor: that is kept, for us to learn how it ended, and swept later."""
    process = script(3.0)
    process.kill()
    process.wait()
    wait_until(lambda: containers_of(process.pid) == [])


def test_ctrl_c(script: Callable[[float], Any], backend_name: str) -> None:
    process = script(600.0)
    time.sleep(0.5)
    theirs = set() if backend_name.startswith("docker") else descendants(process.pid)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.wait(60) != 0 and process.stdout.read() == "closed\n"
    assert time.monotonic() - began < 30
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in theirs))
    if backend_name.startswith("docker"):
        assert containers_of(process.pid) == []


@pytest.mark.docker
@pytest.mark.parametrize("backend_name", ["docker-runc", "docker-runsc"], indirect=True)
def test_others_containers_are_not_swept(new_jail: Pool) -> None:
    assert isinstance(new_jail.backend, Docker)
    new_jail.run(Job(code="pass"))
    sweep(new_jail.backend._client)
    assert_works(new_jail)
    assert len(containers_of(os.getpid())) >= 1


def test_owner_names_a_process_and_no_later_one() -> None:
    assert owner(os.getpid()).startswith(f"{os.getpid()}:") and owner(os.getpid()) == owner(os.getpid())
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    assert owner(child.pid) == ""


# --- servers that talk nonsense --------------------------------------------------------------------------------------


class Liar:
    """A channel whose server says what it is told to."""

    def __init__(self, *words: bytes) -> None:
        self.data = b"".join(words)

    def send(self, data: bytes, deadline: float) -> None: ...

    def receive(self, count: int, deadline: float) -> bytes:
        if count > len(self.data):
            raise Broken("ended")
        data, self.data = self.data[:count], self.data[count:]
        return data

    def kill(self) -> None: ...

    def close(self) -> None: ...

    def words(self) -> str:
        return ""

    def memory_kills(self) -> int:
        return 0


def frame(text: str) -> bytes:
    return len(text).to_bytes(4, "big") + text.encode()


HELLO = frame('{"ready": true, "python": "3.11"}')


def head(**words: Any) -> bytes:
    import json

    fine = {"why": None, "exit_code": 0, "wall_s": 1, "cpu_s": 1, "peak_kb": 1, "sizes": [0, 0, 0], "files": [],
            "refused": {}}  # fmt: skip
    return frame(json.dumps({**fine, **words}))


def test_a_fine_answer() -> None:
    worker = Worker(Liar(HELLO, head(sizes=[1, 0, 0], files=[["a", 2]]), b"rAB"), Shape(1, 1, 1))
    outcome = worker.run(Job(code="pass", outputs=["a"]))
    assert (outcome.status, outcome.result, outcome.files) == (Status.OK, b"r", {"a": b"AB"})


@pytest.mark.parametrize("answer", [
    b"", b"\0", b"\xff\xff\xff\xff", frame("[]"), frame("{"), frame("{}"), frame("null"),
    head(sizes=[1 << 40, 0, 0]), head(sizes=[-1, 0, 0]), head(sizes=[0, 0]), head(sizes=None), head(why="because"),
    head(files=[["b", 1]]), head(files=[["a", 1 << 40]]), head(files=[["a", -1]]), head(files=[["a", 0], ["a", 0]]),
    head(files=3), head(refused=[]), head(exit_code=None), head(cpu_s="x"), head(peak_kb={}),
])  # fmt: skip
def test_nonsense_is_broken_and_never_an_outcome(answer: bytes) -> None:
    worker = Worker(Liar(HELLO, answer), Shape(1, 1, 1))
    with pytest.raises(Broken):
        worker.run(Job(code="pass", outputs=["a"], limits=Limits(scratch_mb=1)))


@pytest.mark.parametrize(
    "hello", [b"", frame("{}"), frame("[]"), frame("{"), frame('{"ready": false}'), b"Traceback (most recent"]
)
def test_a_server_that_does_not_greet(hello: bytes) -> None:
    with pytest.raises(Broken):
        Worker(Liar(hello), Shape(1, 1, 1))


def test_a_backend_that_never_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        name, isolated, detail = "nothing", True, ""
        tries = 0

        def start(self, shape: Shape, number: int) -> Worker:
            self.tries += 1
            raise Broken("no")

    backend = Nothing()
    with Pool(backend, 1) as pool:
        assert pool.run(Job(code="pass")) == Outcome(Status.INFRA, "the jail failed 2 times: no")
    assert backend.tries == 2


def test_idle_servers_that_died_are_no_trouble() -> None:
    """A machine short of memory takes idle servers, several at once: the next job asks them all and then a new one."""

    class Mortal:
        name, isolated, detail = "mortal", True, ""
        made: list[Liar]

        def __init__(self) -> None:
            self.made = []

        def start(self, shape: Shape, number: int) -> Worker:
            self.made.append(Liar(HELLO, head(), head()))
            return Worker(self.made[-1], shape)

    backend = Mortal()
    with Pool(backend, 4) as pool:
        shape = Shape(Limits().memory_mb, Limits().processes, Limits().scratch_mb)
        for worker in [pool._take(shape, fresh=True) for _ in range(4)]:
            pool._give(worker, keep=True)
        for channel in backend.made:
            channel.data = b""
        assert [pool.run(Job(code="pass")).status for _ in range(3)] == [Status.OK] * 3
