"""A client of Spark Connect: watermarks live on the server, the client needs no JVM.

Without `--remote` the example starts a server on this machine, with Tidegate's jar and extension.
Shop b is three minutes behind; the last lines are the orders of each minute, and how far the
watermark has come.

    pip install "tidegate[connect]"
    python examples/connect_client.py
    python examples/connect_client.py --remote sc://localhost:15002
"""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import tidegate


def session(address: str | None) -> SparkSession:
    """Connect to a server, or start one on this machine."""
    if address is not None:
        return SparkSession.builder.remote(address).getOrCreate()
    server = SparkSession.builder.remote("local[2]")
    server = server.config("spark.jars", tidegate.jarPath())
    server = server.config("spark.sql.extensions", "tidegate.TidegateExtensions")
    return server.getOrCreate()


def main() -> None:
    """Count orders until five windows are complete."""
    parser = argparse.ArgumentParser(description="A keyed watermark from a Spark Connect client.")
    parser.add_argument("--remote", help="address of a server, such as sc://localhost:15002")
    spark = session(parser.parse_args().remote)
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    spark.conf.set("spark.sql.session.timeZone", "UTC")

    # A batch is a minute from 2026-01-01 12:00, with an order per second and shop.
    ticks = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 120)
    ticks = ticks.option("advanceMillisPerBatch", 60_000).option("startTimestamp", 1767268800000)
    orders = ticks.load().selectExpr(
        "if(value % 2 = 0, 'a', 'b') AS shop",
        "timestamp + make_dt_interval(0, 0, if(shop = 'a', 0, -3), value div 2 % 60) AS time",
    )
    keyed = orders.withKeyedWatermark("time", "5 seconds", substream="shop", name="orders")
    counts = keyed.groupBy(F.window("time", "1 minute")).count()

    query = counts.writeStream.format("memory").queryName("counts").start()
    while spark.table("counts").count() < 5 and not query.awaitTermination(1):
        pass
    query.stop()
    spark.table("counts").orderBy("window").show(5, truncate=False)

    complete = tidegate.watermarks(query)["orders"]["watermark"]
    assert complete is not None
    print("Orders are complete up to", complete.strftime("%H:%M:%S"))
    spark.stop()


if __name__ == "__main__":
    main()
