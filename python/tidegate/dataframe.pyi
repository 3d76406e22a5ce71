from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from tidegate._arguments import Duration
from tidegate.joins import Between, On
from tidegate.policies import Emission, Policy

class KeyedDataFrame(DataFrame):
    """A DataFrame with the methods that Tidegate adds."""

    def withKeyedWatermark(
        self,
        eventTime: str,
        lag: Duration | None = ...,
        key: int = ...,
        *,
        policy: Policy | None = ...,
        substream: str | Sequence[str] | None = ...,
        idleTimeout: Duration | None = ...,
        emission: Emission | None = ...,
        name: str | None = ...,
        maxFutureSkew: Duration | None = ...,
        flush: bool = ...,
        idleBehind: Duration | None = ...,
    ) -> DataFrame: ...
    def withIngestionWatermark(
        self,
        eventTime: str,
        maxEventTimeLag: Duration,
        ingestionTime: str = ...,
        substream: str | Sequence[str] | None = ...,
        *,
        maxIdleLag: Duration = ...,
        key: int = ...,
        emission: Emission | None = ...,
        name: str | None = ...,
        flush: bool = ...,
    ) -> DataFrame: ...
    def orderByEventTime(
        self,
        partitionBy: str | Sequence[str] | None = ...,
        eventTime: str | None = ...,
    ) -> DataFrame: ...
    def streamJoin(
        self,
        right: DataFrame,
        on: On,
        how: str = ...,
        between: Between | None = ...,
    ) -> DataFrame: ...
    def mapAsync(
        self,
        fn: Callable[..., Any],
        schema: StructType | str,
        ordered: bool = ...,
        maxInFlight: int = ...,
        timeout: Duration | None = ...,
        retries: int = ...,
        onError: str = ...,
        deadLetters: str | None = ...,
        breakAfter: int = ...,
        rowsPerCall: int | None = ...,
    ) -> DataFrame: ...
    def tidegateName(self, name: str) -> DataFrame: ...
