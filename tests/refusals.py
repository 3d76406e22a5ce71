"""What an error says."""

from pyspark.errors.exceptions.base import PySparkException


def check(error: PySparkException, condition: str, sentence: str, state: str) -> None:
    """Compare an error of Tidegate with its condition, its whole sentence and its SQLSTATE."""
    assert error.getCondition() == f"TIDEGATE_{condition}"
    assert error.getSqlState() == state
    # Spark adds the plan to the errors of a check, in the lines below.
    first_line = str(error).splitlines()[0].rstrip(";")
    assert first_line == f"[TIDEGATE_{condition}] {sentence} SQLSTATE: {state}"
