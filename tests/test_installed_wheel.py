"""The installed wheel: what is in it."""

import ast
import subprocess
import sys
import zipfile
from importlib.metadata import metadata, requires, version
from pathlib import Path

import pyspark
from pyspark.sql import DataFrame

import tidegate

ROOT = Path(__file__).parent.parent
VERSION = (ROOT / "version.txt").read_text().strip()
SPARKS = ("4.0", "4.1", "4.2", "4.3")
SPARK = ".".join(pyspark.__version__.split(".")[:2])
# The environment of Spark 4.2 has a wheel without the jars of other Sparks. The environments of the
# other Sparks have the wheel with all jars, and `make test-publish` looks into that wheel.
FOLDER = ROOT / ("build/wheel" if SPARK == "4.2" else "dist")
WHEEL = FOLDER / f"tidegate-{VERSION}-py3-none-any.whl"
JARS = {spark: f"tidegate-spark-{spark}_2.13-{VERSION}.jar" for spark in SPARKS}


def test_metadata_when_read_then_names_the_version_and_asks_for_pyspark_in_extras_alone() -> None:
    assert version("tidegate") == tidegate.__version__ == VERSION
    assert metadata("tidegate")["Requires-Python"] == ">=3.10"
    required = [line.replace(" ", "").replace('"', "'") for line in requires("tidegate") or []]
    assert [line for line in required if "extra==" not in line] == []
    pysparks = {line for line in required if line.startswith("pyspark")}
    assert pysparks == {
        "pyspark~=4.2.0;extra=='spark'",
        "pyspark-client~=4.2.0;extra=='connect'",
    }


def test_metadata_when_read_then_has_where_to_look_and_what_it_runs_on() -> None:
    found = metadata("tidegate")
    urls = dict(line.split(", ") for line in found.get_all("Project-URL") or [])
    readme = (ROOT / "python" / "README.md").read_text()

    assert set(urls) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(url.startswith("https://github.com/tidegate/tidegate") for url in urls.values())
    assert found["License-Expression"] == "Apache-2.0"
    assert "Spark " + ", ".join(SPARKS[:-1]) + f" and {SPARKS[-1]}" in readme
    pythons = [
        classifier.rpartition(" ")[2]
        for classifier in found.get_all("Classifier") or []
        if classifier.startswith("Programming Language :: Python :: 3.")
    ]
    assert f"Python {pythons[0]} to {pythons[-1]}" in readme


def test_jar_when_looked_for_then_is_in_the_package_with_facade_and_extension() -> None:
    jar = Path(tidegate.jarPath())

    assert jar.name == JARS[SPARK]
    assert jar.parent.parent == Path(tidegate.__file__).parent
    with zipfile.ZipFile(jar) as packed:
        names = set(packed.namelist())
        for name in ("LICENSE", "NOTICE"):
            assert packed.read(f"META-INF/{name}") == (ROOT / name).read_bytes()
    assert {"tidegate/PythonFacade.class", "tidegate/TidegateExtensions.class"} <= names
    assert not any(name.startswith(("scala/", "org/apache/spark/sql/catalyst")) for name in names)


def test_wheel_when_opened_then_holds_the_jar_of_its_spark_the_types_and_the_licence() -> None:
    with zipfile.ZipFile(WHEEL) as wheel:
        names = set(wheel.namelist())

    assert f"tidegate/jars/{JARS[SPARK]}" in names
    assert "tidegate/py.typed" in names
    assert f"tidegate-{VERSION}.dist-info/licenses/LICENSE" in names
    assert {"pyspark-stubs/py.typed", "pyspark-stubs/sql/dataframe.pyi"} <= names
    assert not any("conftest" in name or "unit/" in name for name in names)


def test_stub_of_dataframe_when_compared_with_pyspark_then_has_all_its_members() -> None:
    with zipfile.ZipFile(WHEEL) as wheel:
        stub = ast.parse(wheel.read("pyspark-stubs/sql/dataframe.pyi"))
        assert wheel.read("pyspark-stubs/py.typed") == b"partial\n"

    (typed,) = (c for c in stub.body if isinstance(c, ast.ClassDef) and c.name == "DataFrame")
    defined = {f.name for f in typed.body if isinstance(f, ast.FunctionDef)}
    assigned = {ast.unparse(a.targets[0]) for a in typed.body if isinstance(a, ast.Assign)}
    members = {name for name in vars(DataFrame) if not name.startswith("__")}
    assert members - defined - assigned == set()
    assert {"withKeyedWatermark", "streamJoin"} <= assigned


def test_demo_when_its_extra_is_missing_then_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from tidegate.__main__ import main; sys.exit(main(['demo']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert (done.returncode, done.stderr) == (
        1,
        'The demo needs matplotlib, which is not installed. Run: pip install "tidegate[demo]"\n',
    )
