"""The libraries that Tidegate runs beside, each with what its own pages ask for."""

from dataclasses import dataclass, field
from pathlib import Path

import pyspark

import tidegate

SPARK = ".".join(pyspark.__version__.split(".")[:2])
JARS = Path(__file__).parents[2] / "build" / "beside" / SPARK
"""Where `make test-beside` puts the jars that are listed in `jars.txt`."""

TIDEGATE = "tidegate.TidegateExtensions"


@dataclass(frozen=True)
class Library:
    """A library that is in the same session as Tidegate."""

    folder: str
    extension: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    namespace: str = ""
    """Where its tables are: a catalog and a schema."""

    def jars(self) -> list[str]:
        """Return the paths of its jars."""
        found = sorted(str(jar) for jar in (JARS / self.folder).glob("*.jar"))
        assert found, f"no {self.folder} for Spark {SPARK} yet: run make test-beside"
        return found


DELTA = Library(
    "delta",
    "io.delta.sql.DeltaSparkSessionExtension",
    {
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
    },
    "spark_catalog.beside",
)

ICEBERG = Library(
    "iceberg",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    {
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
    },
    "lake.beside",
)

SEDONA = Library(
    "sedona",
    "org.apache.sedona.sql.SedonaSqlExtensions",
    {
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.sedona.core.serde.SedonaKryoRegistrator",
    },
)

AVRO = Library("avro")

OPENLINEAGE = Library(
    "openlineage",
    settings={
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
    },
)


def orders(*libraries: Library) -> list[str]:
    """Return the lists of extensions with Tidegate's at each place, and the others either way."""
    others = [library.extension for library in libraries if library.extension]
    places = range(len(others) + 1)
    both = [others] if len(others) < 2 else [others, others[::-1]]
    return [",".join([*rest[:at], TIDEGATE, *rest[at:]]) for rest in both for at in places]


def jars(*libraries: Library) -> str:
    """Return a value of `spark.jars` with the jars of the libraries, and of Tidegate."""
    of_libraries = [jar for library in libraries for jar in library.jars()]
    return ",".join([*of_libraries, tidegate.jarPath()])
