"""Orders and their deliveries, two topics of Kafka, joined; partition 1 is half an hour behind.

An order leaves the join with its delivery, or with null as soon as none can come. The last lines
show what leaves under each watermark. The first command starts a broker of its own.

    make .venv/.installed build/kafka/.ready && .venv/bin/python examples/kafka_join.py
    python examples/kafka_join.py --bootstrap-servers localhost:9092
"""

import argparse
import tempfile
import uuid
from pathlib import Path

import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate
from tidegate.demo.kafka import broker
from tidegate.demo.kafka.client import Client

PACKAGE = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
# 300 orders in each partition; one more in each, a day later, ends time. Half have a delivery.
ORDERS = """SELECT id, int(id % 2) AS partition, TIMESTAMP '2026-01-01 12:00:00'
  + make_dt_interval(if(id < 600, 0, 1), 0, if(partition = 1, -30, 0), id * 10) AS time
  FROM range(0, 602, 1, 1)"""
DELIVERIES = f"SELECT id, partition, time + INTERVAL 5 MINUTES AS time FROM ({ORDERS})"
IN_TIME = "o.id = d.id AND delivered BETWEEN ordered AND ordered + INTERVAL 20 MINUTES"


def stream(spark: SparkSession, address: str, name: str, rows: str) -> DataFrame:
    """Write rows to a new topic, and read them as a stream whose time has the name."""
    topic, options = f"{name}-{uuid.uuid4().hex[:8]}", {"kafka.bootstrap.servers": address}
    Client(address).create(topic, 2)
    values = spark.sql(rows).select("partition", F.to_json(F.struct("id", "time")).alias("value"))
    values.write.format("kafka").options(topic=topic, **options).save()
    reader = spark.readStream.format("kafka").options(subscribe=topic, **options)
    read = reader.options(startingOffsets="earliest", maxOffsetsPerTrigger=100).load()
    event = "from_json(string(value), 'id LONG, time TIMESTAMP') AS e"
    return read.selectExpr("partition", event).selectExpr("partition", "e.id", f"e.time {name}")


def join(spark: SparkSession, address: str) -> None:
    """Join the topics under each watermark, and show what comes out."""
    orders = stream(spark, address, "ordered", ORDERS)
    deliveries = stream(spark, address, "delivered", f"{DELIVERIES} WHERE id % 4 < 2")
    left = orders.withKeyedWatermark("ordered", "1 minute", substream="partition")
    right = deliveries.withKeyedWatermark("delivered", "1 minute", key=1, substream="partition")
    between = ("delivered", "ordered", "0 seconds", "20 minutes")
    keyed = left.streamJoin(right, on="id", how="leftOuter", between=between)
    plain = orders.withWatermark("ordered", "1 minute").alias("o")
    other = deliveries.withWatermark("delivered", "1 minute").alias("d")
    plain = plain.join(other, F.expr(IN_TIME), "leftOuter").select("o.id", "delivered")
    for name, joined in ("tidegate", keyed), ("spark", plain):
        writer = joined.select("id", "delivered").writeStream.format("memory").queryName(name)
        writer.trigger(availableNow=True).start().awaitTermination()
        counts = f"'{name}' AS watermark, count(*) AS orders, count(delivered) AS delivered"
        spark.sql(f"SELECT {counts} FROM {name} WHERE id < 600").show()
    spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Join two topics of Kafka.")
    parser.add_argument("--bootstrap-servers", help="a broker; without it, one is started")
    broker.add_option(parser)
    args = parser.parse_args()
    jars = ",".join(map(str, (args.jars / "connector").glob("*.jar")))
    key, value = ("spark.jars", jars) if jars else ("spark.jars.packages", PACKAGE)
    builder = SparkSession.builder.config(key, value).config("spark.sql.shuffle.partitions", 2)
    if args.bootstrap_servers:
        join(tidegate.configure(builder).getOrCreate(), args.bootstrap_servers)
    else:
        try:
            broker.check(args.jars)
        except broker.BrokerError as error:
            parser.error(f"{error} Or name a broker with --bootstrap-servers.")
        with tempfile.TemporaryDirectory() as folder:
            with broker.starting(args.jars / "broker", Path(folder) / "broker") as started:
                join(tidegate.configure(builder).getOrCreate(), started())
