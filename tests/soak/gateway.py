"""A JVM with Kafka's clients and without Spark."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from tidegate.demo.kafka import broker

JAVA_OPTIONS = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


@contextmanager
def gateway(jars: Path) -> Iterator[Any]:
    """Start a JVM with the jars of a folder, and yield a py4j view of it."""
    [py4j_jar] = (Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar")
    port, token = launch_gateway(
        jarpath=str(py4j_jar),
        classpath=f"{jars}/*",
        javaopts=JAVA_OPTIONS,
        java_path=broker.java(),
        die_on_exit=True,
        enable_auth=True,
        # Ctrl-C is for the soak alone, which stops the JVM.
        create_new_process_group=True,
    )
    parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True)
    java = JavaGateway(gateway_parameters=parameters)
    try:
        yield java.jvm
    finally:
        java.shutdown()
