"""The test kit without a JVM."""

from typing import Any

import pytest
import pytest_tidegate

from tidegate.errors import UnsupportedSessionError
from tidegate.testing import StreamTest


class ConnectSession:
    """A session of Spark Connect."""

    __module__ = "pyspark.sql.connect.session"


def test_stream_test_when_the_session_is_of_connect_then_says_what_to_do() -> None:
    session: Any = ConnectSession()

    with pytest.raises(UnsupportedSessionError) as refused:
        StreamTest(session)

    assert str(refused.value) == (
        "StreamTest needs classic PySpark, and this is a session of Spark Connect, where the clock "
        "of a query cannot be moved. Write the query as a function of its input DataFrames, and "
        "test the function in a classic session."
    )


def test_stream_test_when_an_argument_is_misspelt_then_names_the_right_one() -> None:
    call: Any = StreamTest

    with pytest.raises(TypeError, match=r"'nw'\. Did you mean 'now'\?"):
        call(None, nw="2026-01-01 12:00:00")


def test_plug_in_when_the_fixture_is_of_another_kit_then_shows_nothing() -> None:
    assert pytest_tidegate.sections(object(), AssertionError("mine")) == []


def test_stream_test_when_there_is_no_report_then_the_assertion_stays() -> None:
    class Java:
        """A test that has lost its JVM."""

        def close(self) -> None:
            """Close nothing."""

    test: Any = StreamTest.__new__(StreamTest)
    test._java = Java()

    with pytest.raises(AssertionError, match="mine"), test:
        raise AssertionError("mine")
