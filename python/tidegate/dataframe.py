"""The one place that adds Tidegate's methods to ``pyspark.sql.DataFrame``.

Type checkers know the methods from ``pyspark-stubs``, which is in the wheel.
"""

from typing import TypeAlias

from pyspark.sql import DataFrame

from tidegate.asof import asOfJoin
from tidegate.joins import streamJoin
from tidegate.mapping import mapAsync
from tidegate.naming import tidegateName
from tidegate.ordering import orderByEventTime
from tidegate.ranking import topN
from tidegate.streaming import withIngestionWatermark, withKeyedWatermark

METHODS = (
    withKeyedWatermark,
    withIngestionWatermark,
    orderByEventTime,
    topN,
    streamJoin,
    asOfJoin,
    mapAsync,
    tidegateName,
)

for _method in METHODS:
    setattr(DataFrame, _method.__name__, _method)

KeyedDataFrame: TypeAlias = DataFrame
"""A DataFrame with Tidegate's methods. Every DataFrame has them; as an annotation it says why."""
