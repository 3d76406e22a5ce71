"""Keyed event-time watermarks for Spark Structured Streaming.

Importing the package adds ``withKeyedWatermark``, ``withIngestionWatermark``, ``orderByEventTime``,
``streamJoin``, ``mapAsync`` and ``tidegateName`` to ``pyspark.sql.DataFrame``.
"""

from tidegate._call import CallKey
from tidegate._version import __version__
from tidegate.dataframe import KeyedDataFrame
from tidegate.errors import (
    MissingExtensionError,
    MissingJarError,
    TidegateError,
    UnsupportedSessionError,
)
from tidegate.joins import streamJoin
from tidegate.mapping import mapAsync
from tidegate.migration import adopt, release
from tidegate.naming import tidegateName
from tidegate.ordering import orderByEventTime
from tidegate.policies import (
    Emission,
    Policy,
    byFrame,
    byMinStep,
    fixedLag,
    limitingLagAndDelay,
    limitingLagAndLull,
    limitingTimestampAndWallClockLag,
)
from tidegate.session import configure, jarPath
from tidegate.streaming import (
    SubstreamWatermark,
    Watermark,
    watermarks,
    withIngestionWatermark,
    withKeyedWatermark,
)

__all__ = [
    "CallKey",
    "Emission",
    "KeyedDataFrame",
    "MissingExtensionError",
    "MissingJarError",
    "Policy",
    "SubstreamWatermark",
    "TidegateError",
    "UnsupportedSessionError",
    "Watermark",
    "__version__",
    "adopt",
    "byFrame",
    "byMinStep",
    "configure",
    "fixedLag",
    "jarPath",
    "limitingLagAndDelay",
    "limitingLagAndLull",
    "limitingTimestampAndWallClockLag",
    "mapAsync",
    "orderByEventTime",
    "release",
    "streamJoin",
    "tidegateName",
    "watermarks",
    "withIngestionWatermark",
    "withKeyedWatermark",
]
