"""A job that has the jar from `--packages` alone, without the Python package, and counts by SQL."""

import sys
import tempfile

from pyspark.sql import SparkSession

# Not even if the environment has it.
sys.modules["tidegate"] = None  # type: ignore[assignment]

COUNTS = """
SELECT window_start, count(*) AS orders
FROM TUMBLE(
    TABLE(IMPOSE_ORDER(TABLE(orders), DESCRIPTOR(time), INTERVAL 0 SECONDS, flush => true)),
    DESCRIPTOR(time), INTERVAL 1 MINUTE)
GROUP BY window_start, window_end
"""

spark = SparkSession.builder.getOrCreate()
folder = tempfile.mkdtemp()
spark.sql("SELECT timestamp '2026-01-01 12:00:00' AS time").write.json(f"{folder}/rows")
orders = spark.readStream.schema("time timestamp").json(f"{folder}/rows")
orders.createOrReplaceTempView("orders")
query = (
    spark.sql(COUNTS)
    .writeStream.format("memory")
    .queryName("counts")
    .option("checkpointLocation", f"{folder}/checkpoint")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
print("windows:", spark.table("counts").count())
spark.stop()
