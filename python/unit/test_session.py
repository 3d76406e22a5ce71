"""What `configure` adds to a builder, and which Spark it refuses."""

import os
import sys
from pathlib import Path

import pyspark
import pytest
from pyspark import SparkConf, SparkContext

import tidegate
from tidegate import session
from unit.fakes import NO_CLASS, FakeJvm

EXTENSION = "tidegate.TidegateExtensions"
VERSION = tidegate.__version__
JAR = f"tidegate-spark-4.2_2.13-{VERSION}.jar"


class FakeBuilder:
    """Holds options as a builder of sessions does."""

    def __init__(self, **options: str) -> None:
        self._options = dict(options)

    def config(self, key: str, value: str) -> "FakeBuilder":
        self._options[key] = value
        return self


class FakeContext:
    """A running SparkContext, as far as its settings go."""

    def __init__(self, extensions: str) -> None:
        self.extensions = extensions

    def getConf(self) -> "FakeContext":
        return self

    def get(self, key: str, default: str) -> str:
        return self.extensions if key == "spark.sql.extensions" else default


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Bundle a jar for Spark 4.2, and run with PySpark 4.2.0."""
    (tmp_path / JAR).touch()
    monkeypatch.setattr(session, "JARS", tmp_path)
    monkeypatch.setattr(pyspark, "__version__", "4.2.0")
    return tmp_path


def configured(builder: FakeBuilder) -> FakeBuilder:
    assert tidegate.configure(builder) is builder  # type: ignore[arg-type, comparison-overlap]
    return builder


def test_configure_when_nothing_is_set_then_adds_the_extension_and_the_jar(jars: Path) -> None:
    builder = configured(FakeBuilder())

    assert builder._options == {
        "spark.jars": str(jars / JAR),
        "spark.hadoop.fs.AbstractFileSystem.file.impl": "tidegate.files.LocalFiles",
        "spark.sql.extensions": EXTENSION,
    }


def test_configure_when_something_is_set_then_keeps_it(jars: Path) -> None:
    builder = FakeBuilder(
        **{
            "spark.jars": "a.jar, b.jar",
            "spark.sql.extensions": "io.delta.X",
            "spark.hadoop.fs.AbstractFileSystem.file.impl": "of.the.User",
        }
    )

    assert configured(builder)._options == {
        "spark.jars": f"a.jar,b.jar,{jars / JAR}",
        "spark.hadoop.fs.AbstractFileSystem.file.impl": "of.the.User",
        "spark.sql.extensions": f"io.delta.X,{EXTENSION}",
    }


@pytest.mark.parametrize(("master", "own"), [("local[2]", True), ("yarn", False)])
def test_configure_when_the_master_is_local_then_workers_run_in_this_python(
    jars: Path, monkeypatch: pytest.MonkeyPatch, master: str, own: bool
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "")
    monkeypatch.delenv("PYSPARK_PYTHON")

    configured(FakeBuilder(**{"spark.master": master}))

    assert os.environ.get("PYSPARK_PYTHON") == (sys.executable if own else None)


def test_configure_when_called_twice_then_changes_nothing(jars: Path) -> None:
    once = configured(FakeBuilder())
    options = dict(once._options)

    assert configured(once)._options == options


def test_configure_when_spark_runs_without_the_jar_then_refuses(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_jvm", FakeJvm(failure=NO_CLASS))
    monkeypatch.setattr(SparkContext, "_active_spark_context", FakeContext(""))

    with pytest.raises(tidegate.MissingJarError) as error:
        configured(FakeBuilder())

    assert str(error.value) == (
        "Spark is already running in this process without the Tidegate jar, and takes none "
        "afterwards. Restart Python and call tidegate.configure(builder) before the first session "
        f"is created, or start with spark-submit --jars {JAR} --conf spark.sql.extensions="
        f"{EXTENSION}."
    )


def test_configure_when_spark_runs_without_the_extension_then_refuses(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_jvm", FakeJvm())
    monkeypatch.setattr(SparkContext, "_active_spark_context", FakeContext("io.delta.X"))

    with pytest.raises(tidegate.MissingExtensionError) as error:
        configured(FakeBuilder())

    assert str(error.value) == (
        "A SparkContext is already running without the Tidegate extension: spark.sql.extensions is "
        "'io.delta.X'. Stop it, or call tidegate.configure(builder) before the first session is "
        "created."
    )


def test_configure_when_spark_runs_with_both_then_leaves_the_builder_alone(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_jvm", FakeJvm())
    monkeypatch.setattr(SparkContext, "_active_spark_context", FakeContext(f"a.B,{EXTENSION}"))

    assert configured(FakeBuilder())._options == {}


def submitted(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    """Let spark-submit have started the JVM with the jar and these settings."""
    conf = SparkConf(loadDefaults=False, _jvm=None)
    conf.setAll(list(settings.items()))
    monkeypatch.setattr(SparkContext, "_jvm", FakeJvm())
    monkeypatch.setattr(session, "SparkConf", lambda: conf)


def test_configure_when_spark_submit_brought_the_jar_then_adds_no_jar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "JARS", tmp_path)
    submitted(monkeypatch, **{"spark.sql.extensions": "io.delta.X"})

    assert configured(FakeBuilder())._options == {
        "spark.hadoop.fs.AbstractFileSystem.file.impl": "tidegate.files.LocalFiles",
        "spark.sql.extensions": f"io.delta.X,{EXTENSION}",
    }


def test_configure_when_spark_submit_set_the_class_of_files_then_keeps_it(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(monkeypatch, **{"spark.hadoop.fs.AbstractFileSystem.file.impl": "of.the.User"})

    assert configured(FakeBuilder())._options == {"spark.sql.extensions": EXTENSION}


def test_configure_when_given_a_session_then_says_what_it_wants(jars: Path) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.configure("spark")  # type: ignore[arg-type]

    assert str(error.value) == (
        "builder must be a SparkSession.Builder such as SparkSession.builder, found str: 'spark'."
    )


def test_configure_when_the_builder_is_for_spark_connect_then_names_the_server(jars: Path) -> None:
    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        configured(FakeBuilder(**{"spark.remote": "sc://server"}))

    assert str(error.value) == (
        "configure adds a jar to a local Spark, and this builder connects to sc://server, a Spark "
        f"Connect server. Start that server with --jars {JAR} --conf spark.sql.extensions="
        f"{EXTENSION}."
    )


def test_jar_path_when_there_is_a_jar_for_this_spark_then_is_that_jar(jars: Path) -> None:
    (jars / f"tidegate-spark-4.3_2.13-{VERSION}.jar").touch()

    assert tidegate.jarPath() == str(jars / JAR)


def test_jar_path_when_spark_is_of_another_line_then_names_it(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyspark, "__version__", "4.3.1")

    with pytest.raises(tidegate.MissingJarError) as error:
        tidegate.jarPath()

    assert str(error.value) == (
        f"Tidegate {VERSION} has no jar for PySpark 4.3.1 (looked for "
        f"tidegate-spark-4.3_2.13-{VERSION}.jar, found {JAR}). Install a PySpark that it has a jar "
        "for, or another version of Tidegate."
    )


def test_jar_path_when_the_jar_is_of_another_version_then_is_not_taken(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "__version__", "9.9.9")

    with pytest.raises(tidegate.MissingJarError, match=r"Tidegate 9\.9\.9 has no jar for PySpark"):
        tidegate.jarPath()


def test_jar_path_when_there_are_no_jars_then_says_how_to_build_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "JARS", tmp_path)
    monkeypatch.setattr(pyspark, "__version__", "4.2.0")

    with pytest.raises(tidegate.MissingJarError) as error:
        tidegate.jarPath()

    assert str(error.value) == (
        f"This copy of Tidegate {VERSION} holds no jar (looked for {tmp_path / JAR}). Install the "
        "wheel, or build it with `make package`."
    )
