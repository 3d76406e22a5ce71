"""A PostgreSQL server of the test, with a table of prices, and what asks it."""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from pyspark import cloudpickle

NO_POSTGRES = (
    "PostgreSQL is not installed. On Debian: apt-get install postgresql. The test starts and stops "
    "its own server."
)
USERS = ("postgres", "nobody")
"""Who may run the server of a test that root runs: the server refuses root."""

OWNER = "prices"
DATABASE = "postgres"
CALLER = "mapAsync"
CONNECTIONS = 4
GATE = 1
"""The number of the lock that the row at the gate needs."""

SECONDS = 120

# Python workers cannot import the modules of the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


class PostgresPrices:
    """Asks PostgreSQL over connections that it opens once for each task.

    The call of the row `at_gate` waits for a lock that the test may hold.
    """

    def __init__(self, socket: str, at_gate: int | None = None) -> None:
        self.socket = socket
        self.at_gate = at_gate

    async def setup(self) -> None:
        self.pool = await asyncpg.create_pool(
            host=self.socket,
            user=OWNER,
            database=DATABASE,
            min_size=CONNECTIONS,
            max_size=CONNECTIONS,
            server_settings={"application_name": CALLER},
        )

    async def __call__(self, row: Any) -> tuple[Any, ...]:
        async with self.pool.acquire() as connection:
            if row.id == self.at_gate:
                await connection.execute(f"SELECT pg_advisory_lock_shared({GATE})")
            price = await connection.fetchval("SELECT price FROM prices WHERE id = $1", row.id)
        return row.id, price

    async def teardown(self) -> None:
        await self.pool.close()


class Postgres:
    """A server in a folder of its own, which can be killed and started again."""

    def __init__(self, programs: Path, folder: Path, user: str | None) -> None:
        self._programs = programs
        self._data = folder / "data"
        self._log = folder / "server.log"
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None
        self.socket = str(folder)
        initdb = ["initdb", "-D", self._data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-sync"]
        self._run([*initdb, "--locale=C"]).wait()

    def start(self) -> None:
        """Start, and wait until the server answers."""
        settings = ["listen_addresses=", f"unix_socket_directories={self.socket}", "fsync=off"]
        settings += ["log_connections=on", "log_min_messages=log"]
        options = [word for setting in settings for word in ("-c", setting)]
        self._process = self._run(["postgres", "-D", self._data, *options])
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                asyncio.run(self._ask("SELECT 1"))
                return
            except (OSError, asyncpg.PostgresError):
                running = self._process.poll() is None and time.monotonic() < deadline
                assert running, f"PostgreSQL did not start:\n{self._log.read_text()}"
                time.sleep(0.02)

    def kill(self) -> None:
        """End at once, as after a crash: connections break, and nothing is written."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(SECONDS)

    def store(self, prices: dict[int, int]) -> None:
        """Make the table."""

        async def store() -> None:
            connection = await self._connected()
            await connection.execute("CREATE TABLE prices (id BIGINT PRIMARY KEY, price BIGINT)")
            await connection.copy_records_to_table("prices", records=list(prices.items()))
            await connection.close()

        asyncio.run(store())

    @contextmanager
    def closed_gate(self) -> Iterator[None]:
        """Hold the lock that the row at the gate needs, as long as the server lives."""
        loop = asyncio.new_event_loop()
        connection = loop.run_until_complete(self._connected())
        loop.run_until_complete(connection.execute(f"SELECT pg_advisory_lock({GATE})"))
        try:
            yield
        finally:
            connection.terminate()
            loop.close()

    def wait_for_sessions(self, number: int, waiting: bool = False) -> None:
        """Wait until the callers have so many sessions, or so many that wait for a lock."""
        asked = f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{CALLER}'"
        if waiting:
            asked += " AND wait_event_type = 'Lock'"
        deadline = time.monotonic() + SECONDS
        while (found := asyncio.run(self._ask(asked))) != number:
            assert time.monotonic() < deadline, f"{found} sessions instead of {number}"
            time.sleep(0.02)

    @property
    def opened(self) -> int:
        """How many connections the callers have opened so far."""
        lines = self._log.read_text().splitlines()
        return sum(
            "connection authorized" in line and f"application_name={CALLER}" in line
            for line in lines
        )

    async def _connected(self) -> Any:
        return await asyncpg.connect(host=self.socket, user=OWNER, database=DATABASE)

    async def _ask(self, question: str) -> Any:
        connection = await self._connected()
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()

    def _run(self, command: list[Any]) -> "subprocess.Popen[bytes]":
        program = [self._programs / command[0], *command[1:]]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                program,
                cwd=self.socket,
                stdout=log,
                stderr=subprocess.STDOUT,
                user=self._user,
                group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
                extra_groups=None if self._user is None else [],
            )


@contextmanager
def postgres(prices: dict[int, int]) -> Iterator[Postgres]:
    """Run a server with prices; skip the test where PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        pytest.skip(NO_POSTGRES)
    # Not a folder of pytest: those are root's alone, and too long for the name of a socket.
    with tempfile.TemporaryDirectory(prefix="prices-") as folder:
        user = next(filter(_is_known, USERS)) if os.geteuid() == 0 else None
        if user is not None:
            shutil.chown(folder, user)
        server = Postgres(programs, Path(folder), user)
        server.start()
        try:
            server.store(prices)
            yield server
        finally:
            server.kill()


def _programs() -> Path | None:
    """Return the folder of the newest server; Debian has one for each version."""
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(debian, key=lambda path: float(path.parent.name), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _is_known(user: str) -> bool:
    return user in {entry.pw_name for entry in pwd.getpwall()}
