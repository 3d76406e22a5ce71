"""Orders and their deliveries, within ten minutes; the partition of a feed numbers the orders."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed
from tidegate.joins import Between

BETWEEN: Between = ("delivery_time", "order_time", "0 seconds", "10 minutes")
BETWEEN_THE_OTHER_WAY: Between = ("order_time", "delivery_time", "-10 minutes", "0 seconds")


def timed(rows: DataFrame, name: str) -> DataFrame:
    """Name the columns as those of orders or deliveries."""
    columns = [F.col("partition").alias("order_id"), F.col("id").alias("shop")]
    return rows.select(*columns, F.col("time").alias(f"{name}_time"))


def keyed(feed: Feed, name: str, key: int) -> DataFrame:
    """Read orders or deliveries with a watermark of that name."""
    rows = timed(feed.stream(), name)
    return tidegate.withKeyedWatermark(rows, f"{name}_time", "5 seconds", key, name=name)


def joined(
    orders: Feed, deliveries: Feed, how: str = "inner", between: Between = BETWEEN
) -> DataFrame:
    """Join both by the number of the order."""
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)
    return tidegate.streamJoin(left, right, "order_id", how, between)


def clock_times(rows: DataFrame) -> DataFrame:
    """Show an order by its number and its times of day."""
    times = [column for column in ("order_time", "delivery_time") if column in rows.columns]
    return rows.select("order_id", *(F.date_format(column, "HH:mm:ss") for column in times))
