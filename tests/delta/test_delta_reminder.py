"""A session with Delta's extension and the jar of Tidegate, without Tidegate's extension."""

from pathlib import Path

import pytest

from submits import CALLS, OWN, REMINDED, answers, submit

JARS = Path(__file__).parents[2] / "build" / "delta"
DELTA = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"

# Spark's own answer: the parser of an extension is not wrapped.
BESIDE_DELTA = [REMINDED[0], OWN[0], *REMINDED[2:]]

OF_DELTA = """
spark.sql("CREATE TABLE d USING delta AS SELECT * FROM t")
spark.sql("OPTIMIZE d ZORDER BY (id)")
print("history:", spark.sql("DESCRIBE HISTORY d").count())
"""


@pytest.mark.parametrize(
    ("extensions", "expected"),
    [
        pytest.param(DELTA, BESIDE_DELTA, id="delta"),
        # The tests of a Delta table run with both extensions.
        pytest.param(
            f"{DELTA},tidegate.TidegateExtensions",
            ["rows: 1"] * 4 + OWN,
            id="both",
            marks=pytest.mark.at_night,
        ),
    ],
)
def test_sql_when_delta_has_an_extension_then_both_answer(
    tmp_path: Path, extensions: str, expected: list[str]
) -> None:
    jars = [str(jar) for jar in JARS.glob("*.jar")]
    done = submit(
        tmp_path,
        CALLS + OF_DELTA,
        *["--conf", f"spark.sql.extensions={extensions}"],
        *["--conf", CATALOG],
        jars=jars,
    )

    assert answers(done) == expected, done.stderr
    assert "history: 2" in done.stdout
