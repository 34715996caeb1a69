"""Databases to test with: SQLite in a file, and a PostgreSQL of our own, each empty for every test."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from bot.store.database import Store


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    here = shutil.which("initdb")
    return Path(here).resolve().parent if here else None


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL cluster in a temporary folder. Root may not run one, so it becomes another user for it."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed (Debian: postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="envbounty-pg-"))
    user = {}
    if os.getuid() == 0:
        names = {entry.pw_name for entry in pwd.getpwall()}
        name = "postgres" if "postgres" in names else "nobody"
        entry = pwd.getpwnam(name)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        user = {"user": entry.pw_uid, "group": entry.pw_gid}
    port = _free_port()

    def run(*command: str) -> None:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, **user)
        assert done.returncode == 0, done.stderr + done.stdout

    data = folder / "data"
    run(str(binaries / "initdb"), "-D", str(data), "-U", "bot", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off -c max_connections=200"
    run(str(binaries / "pg_ctl"), "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
    try:
        yield f"postgresql+psycopg://bot@127.0.0.1:{port}/"
    finally:
        run(str(binaries / "pg_ctl"), "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


#: Stories take a second each, so by hand they run on SQLite only; in CI on both.
STORIES = ["sqlite", "postgresql"] if os.environ.get("ENVBOUNTY_NO_SKIPS") == "1" else ["sqlite"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "both_databases: a story that is told on PostgreSQL too, also by hand")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "databases" in metafunc.fixturenames:
        told = {"town", "machine"} & set(metafunc.fixturenames)
        both = any(mark.name == "both_databases" for mark in metafunc.definition.iter_markers())
        params = STORIES if told and not both else ["sqlite", "postgresql"]
        metafunc.parametrize("databases", params, indirect=True)


#: Makes an empty database, gives its address, and takes it away again.
Databases = Callable[[], AbstractContextManager[str]]


@pytest.fixture
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """As many empty databases as a test wants, all of one kind; the test is run once with each kind."""
    server = "" if request.param == "sqlite" else request.getfixturevalue("postgres_server")

    @contextmanager
    def made() -> Iterator[str]:
        name = f"t{uuid.uuid4().hex}"
        if not server:
            yield f"sqlite:///{tmp_path}/{name}.db"
            return
        import sqlalchemy as sa

        admin = sa.create_engine(server + "postgres", isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with admin.connect() as db:
            db.exec_driver_sql(f"CREATE DATABASE {name}")
        try:
            yield server + name
        finally:
            with admin.connect() as db:
                db.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")

    return made


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """An empty database, once of each kind."""
    with databases() as url:
        yield url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    it = Store(database_url)
    yield it
    it.close()
