"""Snapshots: copies of everything that a query needs to continue."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from tidegate import _jvm
from tidegate._arguments import boolean, output_mode, text, wrong_type
from tidegate._keywords import keywords
from tidegate._times import utc

_SNAPSHOT = "the folder of a snapshot"
_EITHER = "the folder of a snapshot or a checkpoint"


@dataclass(frozen=True)
class SnapshotInfo:
    """What a folder of snapshots has.

    If ``isComplete`` is false, the export was cut off, and only ``path`` means something.
    """

    path: str
    query: str
    batch: int
    exportedAt: datetime | None
    files: int
    bytes: int
    isComplete: bool


@dataclass(frozen=True)
class InspectedStage:
    """A watermark, a substream, an operator or a source, as a snapshot has it."""

    stage: str
    kind: str
    of: str | None
    watermark: datetime | None
    idle: bool | None
    keys: str | None
    rows: int | None
    bytes: int | None
    detail: str


@dataclass(frozen=True)
class Inspection:
    """What a snapshot or a checkpoint holds; printed as a table."""

    path: str
    query: str
    queryId: str
    batch: int
    begun: int | None
    batchTime: datetime | None
    exportedAt: datetime | None
    stages: list[InspectedStage]
    json: str = field(repr=False)
    _df: DataFrame = field(repr=False, compare=False)

    def toDF(self) -> DataFrame:
        """Return the stages as a DataFrame, a row each."""
        return self._df

    def __str__(self) -> str:
        """Return the stages as a table, in which long texts are cut."""
        return _jvm.table(self._df, len(self.stages))


@dataclass(frozen=True)
class StageVerdict:
    """How a stage of a query would continue; ``reason`` is what a start would say."""

    stage: str
    kind: str
    verdict: str
    reason: str


@dataclass(frozen=True)
class Compatibility:
    """Whether a query can continue from a snapshot or a checkpoint, stage by stage."""

    isCompatible: bool
    stages: list[StageVerdict]

    def __str__(self) -> str:
        """Return a line for each stage."""
        return "\n".join(
            f"{s.kind} {s.stage}: {s.verdict}" + (f". {s.reason}" if s.reason else "")
            for s in self.stages
        )


@keywords
def exportSnapshot(
    query: StreamingQuery | str,
    path: str,
    output: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> SnapshotInfo:
    """Copy what a query needs to continue after its last committed batch; the query goes on.

    Parameters
    ----------
    query : StreamingQuery or str
        A query that runs; or the checkpoint of one that has stopped, or that runs elsewhere.
    path : str
        A folder that does not exist, or is empty, in any file system of Hadoop.
    output : str, optional
        For a checkpoint: the folder to which the query's sink of files writes. The log of the sink
        becomes a part of the snapshot. For a running query the folder is known.
    progress : callable, optional
        Called twice a second with the number of bytes that were copied, and of all bytes (0 as long
        as the number is not known).

    Returns
    -------
    SnapshotInfo
        What was written.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    MissingJarError
        If Spark runs without the Tidegate jar.
    UnsupportedSessionError
        If the query is one of Spark Connect.
    pyspark.errors.AnalysisException
        If the query does not run, if it has no committed batch, if the folder has files or cannot
        be written to, if a part of the state is missing, or if Spark removes files faster than they
        are copied. What was written is deleted.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import exportSnapshot
    >>> query = counts.writeStream.outputMode("update").format("noop").start()
    >>> query.processAllAvailable()
    >>> folder = tempfile.mkdtemp()
    >>> exportSnapshot(query, folder).isComplete
    True
    >>> query.stop()
    """
    target = text("path", path, "the folder of a new snapshot")
    if isinstance(query, str):
        sink = _optional("output", output)
        return _info(json.loads(_jvm.export_of_checkpoint(query, target, sink, progress)))
    if output is not None:
        raise ValueError(
            "output is for the export of a checkpoint; of a running query the folder is known."
        )
    return _info(json.loads(_jvm.export_of_query(query, target, False, progress)))


@keywords
def cancelAndExportSnapshot(
    query: StreamingQuery,
    path: str,
    progress: Callable[[int, int], object] | None = None,
) -> SnapshotInfo:
    """Copy what a query needs to continue, and stop the query when the copy was verified.

    The query runs until the snapshot is complete. What it has committed meanwhile is added after it
    has stopped. Nothing that fails stops it; if only the last part fails, the error says so, and
    the snapshot is good. Arguments, result and errors are otherwise those of
    :func:`exportSnapshot`. A query without a ``checkpointLocation`` is refused, because Spark
    deletes its checkpoint when it stops.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import cancelAndExportSnapshot
    >>> writer = counts.writeStream.outputMode("update").format("noop")
    >>> query = writer.option("checkpointLocation", tempfile.mkdtemp()).start()
    >>> query.processAllAvailable()
    >>> info = cancelAndExportSnapshot(query, tempfile.mkdtemp())
    >>> query.isActive
    False
    """
    target = text("path", path, "the folder of a new snapshot")
    return _info(json.loads(_jvm.export_of_query(query, target, True, progress)))


@keywords
def verifySnapshot(path: str) -> SnapshotInfo:
    """Read every file of a snapshot, and compare its size and checksum.

    Parameters
    ----------
    path : str
        The folder of a snapshot.

    Returns
    -------
    SnapshotInfo
        What the snapshot has.

    Raises
    ------
    TypeError
        If the argument has the wrong type.
    pyspark.errors.AnalysisException
        If the folder is no snapshot, or one of a newer version; if its export was cut off; or if a
        file is missing, was added or was changed.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import verifySnapshot
    >>> try:
    ...     verifySnapshot(tempfile.mkdtemp())
    ... except Exception as error:
    ...     error.getCondition()
    'TIDEGATE_NO_SNAPSHOT'
    """
    return _info(json.loads(_jvm.verify_snapshot(text("path", path, _SNAPSHOT))))


@keywords
def startSnapshot(
    snapshot: str,
    checkpoint: str,
    output: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> str:
    """Make a checkpoint of a snapshot, for a query of its own.

    A query that starts on the checkpoint continues after the batch of the snapshot. The original
    may run beside it.

    Parameters
    ----------
    snapshot : str
        A folder that :func:`exportSnapshot` has written.
    checkpoint : str
        A folder that does not exist, or is empty: the ``checkpointLocation`` of the new query.
    output : str, optional
        The folder to which the new query writes, if its sink is one of files. It gets the log of
        the original, without which Spark's sink cannot go on with a later batch.
    progress : callable, optional
        As in :func:`exportSnapshot`.

    Returns
    -------
    str
        The id of the new query.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    pyspark.errors.AnalysisException
        If the folder is no complete snapshot, if a file was changed, or if there are files already.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import startSnapshot
    >>> try:
    ...     startSnapshot(tempfile.mkdtemp(), tempfile.mkdtemp())
    ... except Exception as error:
    ...     error.getCondition()
    'TIDEGATE_NO_SNAPSHOT'
    """
    return _jvm.start_snapshot(
        text("snapshot", snapshot, _SNAPSHOT),
        text("checkpoint", checkpoint, "the folder of a new checkpoint"),
        _optional("output", output),
        progress,
    )


@keywords
def inspectSnapshot(path: str, countRows: bool = True) -> Inspection:
    """Show what a snapshot or a checkpoint holds, without starting its query.

    Parameters
    ----------
    path : str
        The folder of a snapshot or a checkpoint.
    countRows : bool, default True
        Whether Spark reads the states, to count their rows.

    Returns
    -------
    Inspection
        The watermarks with their substreams, the operators with state, and the sources: as
        ``stages``, as ``json``, as a DataFrame with ``toDF()``, and printed as a table.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    pyspark.errors.AnalysisException
        If there is neither a snapshot nor a checkpoint, or no committed batch.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import exportSnapshot, inspectSnapshot
    >>> query = counts.writeStream.outputMode("update").format("noop").start()
    >>> query.processAllAvailable()
    >>> snapshot = exportSnapshot(query, tempfile.mkdtemp())
    >>> query.stop()
    >>> sorted({stage.kind for stage in inspectSnapshot(snapshot.path).stages})
    ['operator', 'source', 'substream', 'watermark']
    """
    location, rows = text("path", path, _EITHER), boolean("countRows", countRows)
    found, df = _jvm.inspect_snapshot(location, rows)
    read = json.loads(found)
    return Inspection(
        path=read["path"],
        query=read["query"],
        queryId=read["queryId"],
        batch=read["batch"],
        begun=read["begun"],
        batchTime=utc(read["batchTime"]),
        exportedAt=utc(read["exportedAt"]),
        stages=[
            InspectedStage(**{**stage, "watermark": utc(stage["watermark"])})
            for stage in read["stages"]
        ],
        json=found,
        _df=df,
    )


@keywords
def checkCompatibility(path: str, query: DataFrame, outputMode: str = "append") -> Compatibility:
    """Say how a query would continue from a snapshot or a checkpoint, without starting it.

    The verdict has the words that a start itself would use. No source is asked for rows, and
    nothing is written to the checkpoint.

    Parameters
    ----------
    path : str
        The folder of a snapshot, or of the checkpoint of a query, which may run.
    query : DataFrame
        The query as it would be started.
    outputMode : str, default "append"
        Its output mode: ``append``, ``update`` or ``complete``.

    Returns
    -------
    Compatibility
        Whether the query starts, and a verdict for each stage: ``goes on``, ``goes on with these
        windows affected``, ``begins empty``, ``removed`` or ``refused``.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If ``outputMode`` is no output mode.
    UnsupportedSessionError
        If the DataFrame is one of Spark Connect.
    pyspark.errors.AnalysisException
        If there is neither a snapshot nor a checkpoint, or no committed batch.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import checkCompatibility, exportSnapshot
    >>> query = counts.writeStream.outputMode("update").format("noop").start()
    >>> query.processAllAvailable()
    >>> snapshot = exportSnapshot(query, tempfile.mkdtemp())
    >>> query.stop()
    >>> checkCompatibility(snapshot.path, counts, "update").isCompatible
    True
    """
    location, mode = text("path", path, _EITHER), output_mode(outputMode)
    read = json.loads(_jvm.check_compatibility(location, query, mode))
    stages = [StageVerdict(**stage) for stage in read["stages"]]
    return Compatibility(read["isCompatible"], stages)


@keywords
def snapshots(path: str, keep: int | None = None) -> list[SnapshotInfo]:
    """List the snapshots of a folder; with ``keep``, delete the oldest first.

    Parameters
    ----------
    path : str
        The folder in which the snapshots are, each in a folder of its own.
    keep : int, optional
        How many complete snapshots stay, 1 or more. Exports that were cut off stay, because they
        may still go on.

    Returns
    -------
    list of SnapshotInfo
        Those that are there, the oldest first; exports that were cut off come before all others.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    pyspark.errors.AnalysisException
        If there is no such folder, or if ``keep`` is below 1.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import snapshots
    >>> snapshots(tempfile.mkdtemp())
    []
    """
    location = text("path", path, "a folder with snapshots")
    if keep is not None and (not isinstance(keep, int) or isinstance(keep, bool)):
        raise wrong_type("keep", "a number of snapshots (an int) or None", keep)
    return [_info(found) for found in json.loads(_jvm.snapshots(location, keep))]


def _optional(argument: str, value: Any) -> str | None:
    return None if value is None else text(argument, value, "the folder of a sink of files")


def _info(read: dict[str, Any]) -> SnapshotInfo:
    return SnapshotInfo(**{**read, "exportedAt": utc(read["exportedAt"])})
