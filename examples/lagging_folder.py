"""Files of two shops, each in a folder of its own; the folder of shop b is three minutes behind.

The folder is the substream, so time waits for the slower shop. The last lines show, for each shop,
how many orders were written, and how many of them each watermark has counted.

    python examples/lagging_folder.py
"""

import json
import os
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate

START = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
MINUTES = 6
MINUTES_BEHIND = {"a": 0, "b": 3}


def write(folder: Path, shop: str, minute: int, times: list[datetime]) -> None:
    """Write a file with orders of a shop, as the feed of that shop would in that minute."""
    file = folder / f"shop={shop}" / f"{minute}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(json.dumps({"order_time": time.isoformat()}) for time in times))
    # Spark reads files in the order of their modification times.
    os.utime(file, (minute, minute))


def generate(folder: Path) -> None:
    """Write an order per second and shop, and an hour later one more, which closes all windows."""
    for shop, behind in MINUTES_BEHIND.items():
        for minute in range(MINUTES):
            begin = START + timedelta(minutes=minute - behind)
            write(folder, shop, minute, [begin + timedelta(seconds=s) for s in range(60)])
        write(folder, shop, MINUTES, [START + timedelta(hours=1)])


def counted(orders: DataFrame, name: str) -> DataFrame:
    """Count the orders of each minute in a stream, and sum up the windows that come out."""
    counts = orders.groupBy(F.window("order_time", "1 minute"), "shop").count()
    query = counts.writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
    query.awaitTermination()
    return counts.sparkSession.table(name).groupBy("shop").agg(F.sum("count").alias(name))


def main() -> None:
    """Count the same files under Tidegate's watermark and under Spark's."""
    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", 2)
    spark = tidegate.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        schema = "order_time TIMESTAMP, shop STRING"
        orders = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(folder)
        by_shop = orders.withKeyedWatermark("order_time", "5 seconds", substream="shop")
        by_spark = orders.withWatermark("order_time", "5 seconds")

        written = spark.read.schema(schema).json(folder)
        within = written.where(F.col("order_time") < F.lit(START + timedelta(hours=1)))
        result = within.groupBy("shop").agg(F.count("*").alias("written"))
        for stream, name in (by_shop, "tidegate"), (by_spark, "spark"):
            result = result.join(counted(stream, name), "shop", "left")
        result.orderBy("shop").show()
    spark.stop()


if __name__ == "__main__":
    main()
