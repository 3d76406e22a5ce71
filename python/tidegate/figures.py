"""The figures of watermarks: a record for each level, as the JVM gives them in JSON and in rows."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict

from tidegate._times import utc

_TIMES = {
    "wallClock",
    "batchTime",
    "watermark",
    "heldBackSince",
    "movedAt",
    "evictionWatermark",
    "nextWindowEnd",
}

# What counts since the query was started; without "Total" the JVM counts in the last batch.
_TOTALS = {
    name: f"{name}Total"
    for name in ("futureEvents", "lateRows", "partlyLateRows", "partlyLateWindows")
}


class SubstreamWatermark(TypedDict):
    """What :func:`watermarks` says about one substream."""

    watermark: datetime | None
    idle: bool


class KeyedWatermark(TypedDict):
    """What :func:`watermarks` says about one keyed watermark of a query."""

    kind: Literal["watermark"]
    key: int
    watermark: datetime | None
    idle: bool
    eventTime: str
    heldBackBy: str | None
    futureEvents: int
    substreams: dict[str, SubstreamWatermark]


class OperatorWatermark(TypedDict):
    """What :func:`watermarks` says about one stateful operator, or one side of a join."""

    kind: Literal["operator"]
    key: int
    watermark: datetime | None
    idle: bool
    eventTime: str
    heldBackBy: str
    evictionWatermark: datetime | None
    evictionHeldBackBy: str | None
    lateRows: int
    partlyLateRows: int
    partlyLateWindows: int


Watermark: TypeAlias = KeyedWatermark | OperatorWatermark
"""What :func:`watermarks` says about one name; ``kind`` tells a type checker which of the two."""


class WatermarkProgress(TypedDict):
    """A keyed watermark at the end of a batch."""

    key: int
    watermark: datetime | None
    lagMs: int | None
    idle: bool
    heldBackBy: str | None
    heldBackSince: datetime | None
    heldBackMs: int
    activeSubstreams: int
    idleSubstreams: int
    unreadSubstreams: int
    movedAt: datetime
    futureEvents: int
    futureEventsTotal: int


class OperatorProgress(TypedDict):
    """A stateful operator, or one side of a join, at the end of a batch."""

    key: int
    watermark: datetime | None
    idle: bool
    heldBackBy: str
    evictionWatermark: datetime | None
    evictionHeldBackBy: str | None
    lateRows: int
    lateRowsTotal: int
    partlyLateRows: int
    partlyLateRowsTotal: int
    partlyLateWindows: int
    partlyLateWindowsTotal: int
    stateRows: int | None
    stateBytes: int | None
    nextWindowEnd: datetime | None


class BatchProgress(TypedDict):
    """What :func:`progress` says about one batch."""

    batchId: int
    wallClock: datetime
    batchTime: datetime
    inputRows: int
    watermarks: dict[str, WatermarkProgress]
    operators: dict[str, OperatorProgress]


def watermarks(entries: Mapping[str, Any]) -> dict[str, Watermark]:
    """Return the watermarks and operators by name, with counts since the query was started."""
    return {name: _watermark(entry) for name, entry in entries.items()}


def _watermark(entry: Mapping[str, Any]) -> Any:
    entry = {**entry, **{name: entry[total] for name, total in _TOTALS.items() if total in entry}}
    if entry["kind"] == "operator":
        return _record(OperatorWatermark, entry)
    substreams = entry["substreams"].items()
    entry["substreams"] = {name: _record(SubstreamWatermark, own) for name, own in substreams}
    return _record(KeyedWatermark, entry)


def watermarks_of_rows(rows: list[dict[str, Any]]) -> dict[str, Watermark]:
    """Return the same from rows of the table function, which has one for each substream."""
    entries: dict[str, Any] = {}
    for row in rows:
        substreams = entries.setdefault(row["name"], {**row, "substreams": {}})["substreams"]
        if row["substream"] is not None:
            own = {"watermark": row["substreamWatermark"], "idle": row["substreamIdle"]}
            substreams[row["substream"]] = own
    return watermarks(entries)


def batch(entry: Mapping[str, Any]) -> BatchProgress:
    """Return what a batch did to time."""
    levels = {"watermarks": WatermarkProgress, "operators": OperatorProgress}
    named = {
        level: {name: _record(kind, own) for name, own in entry[level].items()}
        for level, kind in levels.items()
    }
    typed: BatchProgress = _record(BatchProgress, {**entry, **named})
    return typed


def batches_of_rows(rows: list[dict[str, Any]]) -> list[BatchProgress]:
    """Return the batches from rows of the table function, which has one for each name."""
    batches: dict[int, dict[str, Any]] = {}
    for row in rows:
        head = {**row, "watermarks": {}, "operators": {}}
        level = "operators" if row["kind"] == "operator" else "watermarks"
        batches.setdefault(row["batchId"], head)[level][row["name"]] = row
    return [batch(entry) for entry in batches.values()]


def _record(kind: type, entry: Mapping[str, Any]) -> Any:
    """Return the fields of a record, with times as datetimes."""
    own = {name: value for name, value in entry.items() if name in kind.__annotations__}
    return {name: utc(value) if name in _TIMES else value for name, value in own.items()}
