"""The plug-in for pytest: the fixture `stream_test`. It imports Spark only for a test that asks."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidegate.testing import StreamTest


@pytest.fixture
def stream_test(request: pytest.FixtureRequest) -> Iterator[StreamTest]:
    """Give a StreamTest in the session of your fixture `spark`, or in a local session."""
    from tidegate.testing import StreamTest

    with StreamTest(_session(request)) as test:
        yield test


@pytest.fixture(scope="session")
def tidegate_session() -> Iterator[SparkSession]:
    """Start a local session with Tidegate, for tests without a fixture `spark`."""
    from pyspark.sql import SparkSession

    import tidegate

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    spark = tidegate.configure(builder).getOrCreate()
    yield spark
    spark.stop()


def _session(request: pytest.FixtureRequest) -> SparkSession:
    try:
        spark: SparkSession = request.getfixturevalue("spark")
    except pytest.FixtureLookupError as error:
        if error.argname != "spark":
            raise
        spark = request.getfixturevalue("tidegate_session")
    return spark


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    """Show with a failed test what its queries have done."""
    outcome = yield
    report = outcome.get_result()
    test = getattr(item, "funcargs", {}).get("stream_test")
    if report.when == "call" and report.failed:
        report.sections += sections(test, call.excinfo and call.excinfo.value)


def sections(test: object, error: BaseException | None) -> list[tuple[str, str]]:
    """Return what to show with a failed test, each part with its title."""
    # Without the module, this is a fixture of the same name that is not ours.
    kit = sys.modules.get("tidegate.testing")
    # An EmittedError has the report in its text.
    if kit is None or not isinstance(test, kit.StreamTest) or isinstance(error, kit.EmittedError):
        return []
    try:
        return [("stream_test", test.report())]
    except Exception as failure:
        return [("stream_test", f"There is no report: {failure}")]
