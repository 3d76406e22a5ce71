"""The end of the demonstration: both queries, compared with the batch result."""

from tidegate.demo.compare import Comparison, Expected, compare
from tidegate.demo.kafka.queries import CountQuery
from tidegate.demo.table import lay_out

HEADER = ("watermark", "rows in", "rows dropped", "windows", "wrong", "still open")


def summary(expected: Expected, queries: list[CountQuery]) -> str:
    """Compare the windows that each query emitted with those of a batch query."""
    found = [
        (query.engine.name, compare(expected, query.windows, query.watermark)) for query in queries
    ]
    return table(expected.rows, found)


def table(rows: int, found: list[tuple[str, Comparison]]) -> str:
    """Return the comparisons as a table."""
    cells = [
        (
            name,
            f"{rows:,}",
            f"{comparison.rows_dropped:,}",
            f"{comparison.windows:,}",
            f"{comparison.wrong:,}",
            f"{comparison.still_open:,}",
        )
        for name, comparison in found
    ]
    return lay_out([HEADER, *cells], names=1)
