"""Orders of two shops in SQL: a keyed watermark by `IMPOSE_ORDER`, windows by `HOP`.

Shop b is three minutes behind; each window that comes out has the orders of both shops. Only the
source and the start of the query are not SQL: Spark has no statement for them.

    python examples/sql_only.py
"""

from pyspark.sql import DataFrame, SparkSession

import tidegate

ORDERS = """
    CREATE OR REPLACE TEMPORARY VIEW orders AS
    SELECT
        if(value % 2 = 0, 'a', 'b') AS shop,
        timestamp + make_dt_interval(0, 0, if(shop = 'a', 0, -3), value div 2 % 60) AS order_time
    FROM ticks
    """

ORDERED = """
    CREATE OR REPLACE TEMPORARY VIEW ordered AS
    SELECT * FROM IMPOSE_ORDER(
        TABLE(orders), DESCRIPTOR(order_time), INTERVAL 5 SECONDS, substream => DESCRIPTOR(shop))
    """

COUNTS = """
    SELECT
        window_start, window_end,
        count_if(shop = 'a') AS orders_of_a,
        count_if(shop = 'b') AS orders_of_b
    FROM HOP(TABLE(ordered), DESCRIPTOR(order_time), INTERVAL 2 MINUTES, INTERVAL 1 MINUTE)
    GROUP BY window_start, window_end
    """

RESULT = "SELECT * FROM counts ORDER BY window_start LIMIT 6"


def counts(spark: SparkSession) -> DataFrame:
    """Make the views over the stream `ticks`, and return the windows."""
    for view in ORDERS, ORDERED:
        spark.sql(view)
    return spark.sql(COUNTS)


def main() -> None:
    """Run the statements until six windows are complete."""
    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", 2)
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    spark = tidegate.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    # A batch is a minute from 2026-01-01 12:00, with an order per second and shop.
    ticks = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 120)
    ticks = ticks.option("advanceMillisPerBatch", 60_000).option("startTimestamp", 1767268800000)
    ticks.load().createOrReplaceTempView("ticks")

    query = counts(spark).writeStream.format("memory").queryName("counts").start()
    while spark.table("counts").count() < 6 and not query.awaitTermination(1):
        pass
    query.stop()
    spark.sql(RESULT).show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
