"""What an error says."""

from pyspark.errors.exceptions.base import ParseException, PySparkException

from sparks import SPARK


def check(error: PySparkException, condition: str, sentence: str, state: str) -> None:
    """Compare an error of Tidegate with its condition, its whole sentence and its SQLSTATE."""
    assert error.getCondition() == f"TIDEGATE_{condition}"
    assert error.getSqlState() == state
    # Spark adds the plan to the errors of a check, in the lines below.
    first_line = str(error).lstrip().splitlines()[0].rstrip(";")
    assert first_line == f"[TIDEGATE_{condition}] {sentence} SQLSTATE: {state}"


def check_at(
    error: PySparkException, at: str | None, condition: str, sentence: str, state: str
) -> None:
    """Compare as :func:`check`, and the part of the SQL text that the error points at.

    Before Spark 4.2 some of them are errors of its parser, which tell the place in lines of their
    own.
    """
    assert error.getCondition() == f"TIDEGATE_{condition}"
    assert error.getSqlState() == state
    first_line = str(error).lstrip().splitlines()[0].rstrip(";")
    told, _, place = first_line.partition(f" SQLSTATE: {state}")
    assert told == f"[TIDEGATE_{condition}] {sentence}"
    if at is not None:
        if isinstance(error, ParseException) and SPARK < (4, 2):
            assert "== SQL (line " in str(error)
        else:
            assert place.startswith("; line ")
        assert error.getQueryContext()[0].fragment() == at
