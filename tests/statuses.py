"""What a query says of one name, as the kind of watermark that the test expects."""

from pyspark.sql.streaming.query import StreamingQuery

import tidegate


def watermark_of(query: StreamingQuery, name: str) -> tidegate.KeyedWatermark:
    """Return what the query says of a keyed watermark."""
    status = tidegate.watermarks(query)[name]
    assert status["kind"] == "watermark"
    return status


def operator_of(query: StreamingQuery, name: str) -> tidegate.OperatorWatermark:
    """Return what the query says of a stateful operator."""
    status = tidegate.watermarks(query)[name]
    assert status["kind"] == "operator"
    return status
