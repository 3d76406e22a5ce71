"""What the examples on the pages of `docs` use, and take from the text around them."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import window
from pyspark.sql.streaming.query import StreamingQuery

import tidegate

__all__ = [
    "F",
    "deliveries",
    "events",
    "joined",
    "orders",
    "query",
    "shops",
    "spark",
    "tidegate",
    "watched",
    "web",
    "window",
]

spark: SparkSession
orders: DataFrame
deliveries: DataFrame
events: DataFrame
web: DataFrame
shops: DataFrame
watched: DataFrame
joined: DataFrame
query: StreamingQuery
