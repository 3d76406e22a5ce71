"""A Delta table as a stream, and its windows in another table; shop b is three minutes behind.

Each commit has a minute of both shops. The result shows the orders of each minute in the table, and
those that came out under each watermark: null where no window came out.

    python examples/delta_table.py
    .venv/bin/python examples/delta_table.py --jars build/delta

The first has Spark fetch Delta from Maven, the second takes the jars that the build has brought.
"""

import argparse
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate

PACKAGE = "io.delta:delta-spark_2.13:4.4.0"
COMMITS = 6
ORDERS = """
    SELECT
        if(id % 2 = 0, 'a', 'b') AS shop,
        TIMESTAMP '2026-01-01 12:00:00'
            + make_dt_interval(0, 0, {minute} - if(shop = 'b', 3, 0), id div 2) AS time
    FROM range(120)
    """


def session(jars: Path | None) -> SparkSession:
    """Start Spark with Delta and Tidegate."""
    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", 2)
    if jars is None:
        builder = builder.config("spark.jars.packages", PACKAGE)
    else:
        builder = builder.config("spark.jars", ",".join(map(str, jars.glob("*.jar"))))
    builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    builder = builder.config("spark.sql.catalog.spark_catalog", catalog)
    builder = builder.config("spark.databricks.delta.snapshotPartitions", 2)
    return tidegate.configure(builder).getOrCreate()


def counted(orders: DataFrame, folder: str, name: str) -> DataFrame:
    """Count the orders of each minute in a stream, into a table, and read the table."""
    counts = orders.groupBy(F.window("time", "1 minute")).agg(F.count("*").alias(name))
    writer = counts.select("window.start", name).writeStream.format("delta")
    writer = writer.option("checkpointLocation", f"{folder}/{name}-checkpoint")
    writer.trigger(availableNow=True).start(f"{folder}/{name}").awaitTermination()
    return orders.sparkSession.read.format("delta").load(f"{folder}/{name}")


def main() -> None:
    """Write a table commit by commit, and count it under each watermark."""
    parser = argparse.ArgumentParser(description="Delta tables beside a keyed watermark.")
    parser.add_argument("--jars", type=Path, help="a folder with the jars of Delta")
    spark = session(parser.parse_args().jars)

    with tempfile.TemporaryDirectory() as folder:
        table = f"{folder}/orders"
        for minute in range(COMMITS):
            commit = spark.sql(ORDERS.format(minute=minute)).coalesce(1)
            commit.write.format("delta").mode("append").save(table)
        stream = spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(table)
        by_shop = stream.withKeyedWatermark("time", "5 seconds", substream="shop", flush=True)
        by_spark = stream.withWatermark("time", "5 seconds")

        window = F.window("time", "1 minute").start.alias("start")
        result = spark.read.format("delta").load(table).groupBy(window)
        counts = result.agg(F.count("*").alias("orders"))
        for orders, name in (by_shop, "tidegate"), (by_spark, "spark"):
            counts = counts.join(counted(orders, folder, name), "start", "left")
        counts.orderBy("start").show()


if __name__ == "__main__":
    main()
