"""A Kafka broker, its own controller, in a process of its own."""

import argparse
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HOST = "127.0.0.1"
META = """version=1
cluster.id=dGlkZWdhdGUtbG9jYWwtMQ
node.id=1
directory.id=dGlkZWdhdGUtZm9sZGVyMQ
"""
PROPERTIES = "server.properties"
STARTED = "Kafka Server started"
TIMEOUT_SECONDS = 60

# The broker does little work, and has to start fast.
JAVA_OPTIONS = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


class BrokerError(Exception):
    """The broker cannot be started."""


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the jars."""
    parser.add_argument(
        "--jars",
        type=Path,
        default=Path("build/kafka"),
        help="folder with the jars of a broker and of Spark's connector to Kafka",
    )


def check(jars: Path) -> None:
    """Fail if there are no jars, or no Java."""
    missing = [name for name in ("broker", "connector") if not (jars / name).is_dir()]
    if missing:
        raise BrokerError(
            f"There are no Kafka jars in {jars} (looked for the folder {missing[0]}). Run "
            "`make build/kafka/.ready` in a clone of the project, or name with --jars a folder of "
            "two: broker, with the jars of Kafka, and connector, with those of "
            "spark-sql-kafka-0-10."
        )
    java()


@contextmanager
def starting(jars: Path, folder: Path) -> Iterator[Callable[[], str]]:
    """Start a broker from a folder of jars; at the end kill it and remove its data.

    Yield a function that waits until the broker has started, and returns its address.
    """
    folder.mkdir(parents=True)
    try:
        address = configured(folder)
        with running(jars, folder) as await_start:

            def started() -> str:
                await_start()
                return address

            yield started
    finally:
        shutil.rmtree(folder)


def configured(folder: Path) -> str:
    """Make a folder with the settings of a broker, and return the address that it will have."""
    port, controller_port = _free_ports(2)
    data = folder / "data"
    data.mkdir(parents=True)
    (folder / PROPERTIES).write_text(_settings(data, port, controller_port))
    # `kafka-storage format` writes the same file, but takes as long to start as the broker.
    (data / "meta.properties").write_text(META)
    return f"{HOST}:{port}"


@contextmanager
def running(jars: Path, folder: Path) -> Iterator[Callable[[], None]]:
    """Start the broker of a configured folder; at the end kill it, and leave its data.

    Yield a function that waits until the broker has started.
    """
    server = [java(), *JAVA_OPTIONS, "-cp", f"{jars}/*", "kafka.Kafka", str(folder / PROPERTIES)]
    log = folder / "broker.log"
    with log.open("w") as output:
        # Ctrl-C does not reach a session of its own: the clients leave before the broker.
        broker = subprocess.Popen(
            server, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        yield lambda: _await_start(broker, log)
    finally:
        broker.kill()
        broker.wait()


def java() -> str:
    """Return the command of Java, as Spark finds it."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(f"{home}/bin/java" if home else "java")
    if found is None:
        where = f"in JAVA_HOME, which is {home}" if home else "on the PATH"
        raise BrokerError(
            f"There is no Java {where}. The broker and Spark need Java 17 or 21: install it, or "
            "set JAVA_HOME."
        )
    return found


def _await_start(broker: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while STARTED not in log.read_text():
        if broker.poll() is not None or time.monotonic() > deadline:
            raise BrokerError(f"The broker did not start:\n{log.read_text()}")
        time.sleep(0.1)


def _settings(data: Path, port: int, controller_port: int) -> str:
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{HOST}:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller_port}",
        "log.dirs": str(data),
        "auto.create.topics.enable": "false",
        "offsets.topic.replication.factor": "1",
    }
    return "\n".join(f"{key}={value}" for key, value in settings.items())


def _free_ports(n: int) -> list[int]:
    """Find free ports, below those that operating systems give to clients."""
    ports: list[int] = []
    while len(ports) < n:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as tried:
            if port not in ports and tried.connect_ex((HOST, port)) != 0:
                ports.append(port)
    return ports
