"""The one place that adds Tidegate's methods to ``pyspark.sql.DataFrame``.

A type checker sees the methods on :class:`KeyedDataFrame`; at run time it is ``DataFrame`` itself.
"""

from pyspark.sql import DataFrame

from tidegate.joins import streamJoin
from tidegate.mapping import mapAsync
from tidegate.naming import tidegateName
from tidegate.ordering import orderByEventTime
from tidegate.streaming import withIngestionWatermark, withKeyedWatermark

setattr(DataFrame, "withKeyedWatermark", withKeyedWatermark)
setattr(DataFrame, "withIngestionWatermark", withIngestionWatermark)
setattr(DataFrame, "orderByEventTime", orderByEventTime)
setattr(DataFrame, "streamJoin", streamJoin)
setattr(DataFrame, "mapAsync", mapAsync)
setattr(DataFrame, "tidegateName", tidegateName)

KeyedDataFrame = DataFrame
