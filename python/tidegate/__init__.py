"""Keyed event-time watermarks for Spark Structured Streaming.

Importing the package adds ``withKeyedWatermark``, ``withIngestionWatermark``, ``orderByEventTime``,
``topN``, ``streamJoin``, ``asOfJoin``, ``mapAsync`` and ``tidegateName`` to
``pyspark.sql.DataFrame``.
"""

from importlib.util import find_spec as _find_spec

if _find_spec("pyspark") is None:
    raise ImportError(
        "Tidegate needs PySpark, and this Python has none. Install both with pip install "
        '"tidegate[spark]", or for a client of Spark Connect, without a JVM, "tidegate[connect]".',
        name="pyspark",
    )

from tidegate._call import CallKey
from tidegate._version import __version__
from tidegate.asof import asOfJoin
from tidegate.dataframe import KeyedDataFrame
from tidegate.errors import (
    MissingExtensionError,
    MissingJarError,
    TidegateError,
    UnsupportedSessionError,
)
from tidegate.figures import (
    BatchProgress,
    KeyedWatermark,
    OperatorProgress,
    OperatorWatermark,
    SubstreamWatermark,
    Watermark,
    WatermarkProgress,
)
from tidegate.insight import (
    ProgressListener,
    TimeExplanation,
    explainTime,
    progress,
    progressOf,
)
from tidegate.joins import streamJoin
from tidegate.mapping import mapAsync
from tidegate.migration import adopt, release
from tidegate.monitoring import QueryWatermarks, watermarks
from tidegate.naming import tidegateName
from tidegate.ordering import orderByEventTime
from tidegate.pictures import plot
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
from tidegate.ranking import topN
from tidegate.session import configure, jarPath
from tidegate.snapshotting import (
    Compatibility,
    InspectedStage,
    Inspection,
    SnapshotInfo,
    StageVerdict,
    cancelAndExportSnapshot,
    checkCompatibility,
    exportSnapshot,
    inspectSnapshot,
    snapshots,
    startSnapshot,
    verifySnapshot,
)
from tidegate.streaming import withIngestionWatermark, withKeyedWatermark

__all__ = [
    "BatchProgress",
    "CallKey",
    "Compatibility",
    "Emission",
    "InspectedStage",
    "Inspection",
    "KeyedDataFrame",
    "KeyedWatermark",
    "MissingExtensionError",
    "MissingJarError",
    "OperatorProgress",
    "OperatorWatermark",
    "Policy",
    "ProgressListener",
    "QueryWatermarks",
    "SnapshotInfo",
    "StageVerdict",
    "SubstreamWatermark",
    "TidegateError",
    "TimeExplanation",
    "UnsupportedSessionError",
    "Watermark",
    "WatermarkProgress",
    "__version__",
    "adopt",
    "asOfJoin",
    "byFrame",
    "byMinStep",
    "cancelAndExportSnapshot",
    "checkCompatibility",
    "configure",
    "explainTime",
    "exportSnapshot",
    "fixedLag",
    "inspectSnapshot",
    "jarPath",
    "limitingLagAndDelay",
    "limitingLagAndLull",
    "limitingTimestampAndWallClockLag",
    "mapAsync",
    "orderByEventTime",
    "plot",
    "progress",
    "progressOf",
    "release",
    "snapshots",
    "startSnapshot",
    "streamJoin",
    "tidegateName",
    "topN",
    "verifySnapshot",
    "watermarks",
    "withIngestionWatermark",
    "withKeyedWatermark",
]


def __dir__() -> list[str]:
    """Name what is public: a shell then offers no inner module."""
    return __all__
