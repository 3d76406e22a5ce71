from collections.abc import Sequence

from pyspark.sql import DataFrame

from tidegate._arguments import Duration
from tidegate.joins import Between, On
from tidegate.policies import Emission, Policy

class KeyedDataFrame(DataFrame):
    """A DataFrame with the methods that Tidegate adds."""

    def withKeyedWatermark(
        self,
        eventTime: str,
        lag: Duration | None = None,
        key: int = 0,
        *,
        policy: Policy | None = None,
        substream: str | Sequence[str] | None = None,
        idleTimeout: Duration | None = "60 seconds",
        emission: Emission | None = None,
        name: str | None = None,
        maxFutureSkew: Duration | None = None,
        flush: bool = False,
    ) -> DataFrame: ...
    def withIngestionWatermark(
        self,
        eventTime: str,
        maxEventTimeLag: Duration,
        ingestionTime: str = "timestamp",
        substream: str | Sequence[str] | None = None,
        *,
        maxIdleLag: Duration = "10 seconds",
        key: int = 0,
        emission: Emission | None = None,
        name: str | None = None,
        flush: bool = False,
    ) -> DataFrame: ...
    def orderByEventTime(
        self,
        partitionBy: str | Sequence[str] | None = None,
        eventTime: str | None = None,
    ) -> DataFrame: ...
    def streamJoin(
        self,
        right: DataFrame,
        on: On,
        how: str = "inner",
        between: Between | None = None,
    ) -> DataFrame: ...
