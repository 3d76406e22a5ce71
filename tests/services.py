"""Services that calls of the tests ask: an HTTP server of the test itself, and Redis."""

import asyncio
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle

NO_REDIS = (
    "redis-server is not installed. On Debian: apt-get install redis-server. The test starts and "
    "stops its own server."
)

# Python workers cannot import the modules of the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


class PriceServer:
    """Answers ``GET /<id>`` with ten times the id, when `answers` allows it.

    Runs in a thread of the test. `answers` is awaited with the id before each answer; it may also
    raise ``ConnectionError``, which closes the connection.
    """

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[tuple[int, str]] = []
        self.in_flight = self.most_in_flight = self.connections = 0
        self.answers: Callable[[int], Coroutine[Any, Any, None]] = _at_once
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def start(self) -> None:
        """Listen, at the same port as before."""
        self.do(self._start())

    def stop(self) -> None:
        """Die: close all connections, and refuse new ones."""
        self.do(self._stop())

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run in the loop of the server."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def later(self, work: Coroutine[Any, Any, Any]) -> "Future[Any]":
        """Begin in the loop of the server."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1000)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        self.connections += 1
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(request.decode(), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _answer(self, request: str, writer: asyncio.StreamWriter) -> None:
        lines = request.split("\r\n")
        number = int(lines[0].split()[1][1:])
        keys = [line.partition(": ")[2] for line in lines if line.startswith("Idempotency-Key")]
        self.asked.append((number, "".join(keys)))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.answers(number)
        finally:
            self.in_flight -= 1
        body = str(number * 10).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()


async def _at_once(_: int) -> None:
    pass


class HttpPrices:
    """Asks a `PriceServer`; keeps its connections from one call of a task to the next."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def __call__(self, row: Any, key: Any) -> dict[str, Any]:
        reader, writer = (
            self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", self.port)
        )
        try:
            name = "-".join(map(str, key))
            writer.write(f"GET /{row.id} HTTP/1.1\r\nIdempotency-Key: {name}\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            body = await reader.readexactly(int(head.split("Content-Length: ")[1].split()[0]))
        except BaseException:
            writer.close()
            raise
        self.idle.append((reader, writer))
        return {**row.asDict(), "price": int(body)}

    async def teardown(self) -> None:
        for _, writer in self.idle:
            writer.close()
            await writer.wait_closed()


class RedisPrices:
    """Asks Redis over one connection for each task, with many commands under way at a time."""

    def __init__(self, socket: str) -> None:
        self.socket = socket

    async def setup(self) -> None:
        self.reader, self.writer = await asyncio.open_unix_connection(self.socket)
        self.waiting: asyncio.Queue[asyncio.Future[bytes | None]] = asyncio.Queue()
        self.reading = asyncio.create_task(self.read())

    async def read(self) -> None:
        while True:
            answer = await self.waiting.get()
            length = int((await self.reader.readline())[1:])
            found = (await self.reader.readexactly(length + 2))[:-2] if length >= 0 else None
            if not answer.done():
                answer.set_result(found)

    async def __call__(self, row: Any) -> tuple[Any, ...]:
        answer = asyncio.get_running_loop().create_future()
        self.waiting.put_nowait(answer)
        name = f"price:{row.id}"
        self.writer.write(f"*2\r\n$3\r\nGET\r\n${len(name)}\r\n{name}\r\n".encode())
        found = await answer
        return (row.id, None if found is None else int(found))

    async def teardown(self) -> None:
        self.reading.cancel()
        self.writer.close()
        await self.writer.wait_closed()


@contextmanager
def redis(folder: Path, prices: dict[int, int]) -> Iterator[str]:
    """Run Redis with prices, and give the path of its socket."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip(NO_REDIS)
    socket = str(folder / "redis.sock")
    settings = ["--port", "0", "--unixsocket", socket, "--save", "", "--daemonize", "no"]
    server = subprocess.Popen(
        [program, *settings], cwd=folder, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        assert server.stdout is not None
        ready = "eady to accept connections"
        assert any(ready in line for line in server.stdout), "redis-server did not start"
        asyncio.run(_store(socket, prices))
        yield socket
    finally:
        server.terminate()
        server.wait(60)


async def _store(socket: str, prices: dict[int, int]) -> None:
    reader, writer = await asyncio.open_unix_connection(socket)
    for number, price in prices.items():
        writer.write(f"SET price:{number} {price}\r\n".encode())
        assert await reader.readline() == b"+OK\r\n"
    writer.close()
