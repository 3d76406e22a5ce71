"""Writes `pyspark-stubs`: with it, type checkers know Tidegate's methods of DataFrame.

Run as `python stubs.py FOLDER`, with mypy and the PySpark that the wheel is for. The stubs are
partial (PEP 561), so all modules that they do not have keep PySpark's own types. The stub of a
module replaces the whole module: it has everything that PySpark's file has.
"""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from mypy import stubgen

from tidegate.dataframe import METHODS

MODULE = "pyspark.sql.dataframe"
FILE = Path("sql", "dataframe.pyi")

# Methods of later Sparks than the one that the stubs are built from, which the wheel is for too.
LATER = """\
    def zip(self, other: DataFrame) -> DataFrame: ...
"""

HEADER = f"""\
# The types of PySpark's {MODULE}, with the methods that Tidegate adds. Generated.
# Licensed under the Apache License 2.0, as PySpark.

import tidegate
"""


def with_methods(stub: str) -> str:
    """Return PySpark's stub of the module with Tidegate's methods in DataFrame."""
    # Checkers bind a function that is assigned in a class, so no signature is written twice.
    methods = "".join(f"    {m.__name__} = tidegate.{m.__name__}\n" for m in METHODS)
    head, found, tail = stub.partition("\nclass DataFrameNaFunctions:\n")
    if not found:
        raise SystemExit(f"stubs.py: {MODULE} has no class DataFrameNaFunctions below DataFrame.")
    # What has no annotation in PySpark: the DataFrame of `df.na` and `df.stat`.
    typed = head + LATER + methods + found + tail
    typed = typed.replace("    df: Incomplete\n", "    df: DataFrame\n")
    return HEADER + typed.replace("from _typeshed import Incomplete\n", "")


def write(folder: Path) -> None:
    """Write the package `pyspark-stubs` into a folder, in place of an earlier one."""
    package = folder / "pyspark-stubs"
    shutil.rmtree(package, ignore_errors=True)
    spec = find_spec("pyspark")
    assert spec and spec.origin
    pyspark = Path(spec.origin).parent
    # Pyright does not look at the stubs in a package that has partial stubs elsewhere.
    for file in pyspark.rglob("*.pyi"):
        copy = package / file.relative_to(pyspark)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    generated = folder / "generated"
    stubgen.main(["--quiet", "--include-private", "-m", MODULE, "-o", str(generated)])
    stub = (generated / "pyspark" / FILE).read_text()
    shutil.rmtree(generated)
    (package / FILE).write_text(with_methods(stub))
    (package / "py.typed").write_text("partial\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
