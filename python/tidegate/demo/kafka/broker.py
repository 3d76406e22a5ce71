"""A Kafka broker, its own controller, in a process of its own."""

import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOST = "127.0.0.1"
CLUSTER_ID = "dGlkZWdhdGUtdGVzdHMtMQ"
STARTED = "Kafka Server started"
TIMEOUT_SECONDS = 60

# It works little and has to start fast.
JAVA_OPTIONS = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


@contextmanager
def running(jars: Path, folder: Path) -> Iterator[str]:
    """Start a broker from a folder of jars, give its address, kill it and remove its data."""
    folder.mkdir(parents=True)
    port, controller_port = _free_ports(2)
    properties = folder / "server.properties"
    properties.write_text(_settings(folder / "data", port, controller_port))
    log = folder / "broker.log"
    java = ["java", *JAVA_OPTIONS, "-cp", f"{jars}/*"]
    storage = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(properties)]
    server = [*java, "kafka.Kafka", str(properties)]
    with log.open("w") as output:
        subprocess.run(storage, check=True, stdout=output, stderr=subprocess.STDOUT)
        broker = subprocess.Popen(server, stdout=output, stderr=subprocess.STDOUT)
    try:
        _await_start(broker, log)
        yield f"{HOST}:{port}"
    finally:
        broker.kill()
        broker.wait()
        shutil.rmtree(folder)


def _await_start(broker: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while STARTED not in log.read_text():
        assert broker.poll() is None and time.monotonic() < deadline, (
            f"the broker did not start:\n{log.read_text()}"
        )
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
        # The events of the tests are old: Kafka would delete them.
        "log.retention.ms": "-1",
    }
    return "\n".join(f"{key}={value}" for key, value in settings.items())


def _free_ports(n: int) -> list[int]:
    """Find ports below those that systems give to clients."""
    ports: list[int] = []
    while len(ports) < n:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as tried:
            if port not in ports and tried.connect_ex((HOST, port)) != 0:
                ports.append(port)
    return ports
