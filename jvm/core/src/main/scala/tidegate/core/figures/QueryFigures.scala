package tidegate.core.figures

import java.util.UUID

import scala.collection.immutable.SortedMap

import tidegate.core.EndOfTime

/**
 * The figures of a run of a query: as they are now, or as they were when the run ended. Times are
 * in epoch ms.
 *
 * @param atMs
 *   the wall clock of the figures; for a run that has ended, that of its last trigger
 * @param watermarks
 *   the keyed watermarks by name
 * @param operators
 *   the stateful operators by name; a join has one for each side
 * @param batches
 *   the last batches, the oldest first
 * @param events
 *   what happened lately, the oldest first
 * @param batchSinceMs
 *   the wall clock when the batch began that runs now, if one does
 */
final case class QueryFigures(
    ids: QueryIds,
    state: RunState,
    atMs: Long,
    watermarks: SortedMap[String, WatermarkFigures] = SortedMap.empty,
    operators: SortedMap[String, OperatorFigures] = SortedMap.empty,
    batches: Seq[BatchFigures] = Nil,
    events: Seq[TimeEvent] = Nil,
    batchSinceMs: Option[Long] = None
) {

  /** The lowest watermark. */
  def lowestMs: Option[Long] = watermarks.values.flatMap(_.watermarkMs).minOption

  /** How many rows all operators have dropped as late since the query was started. */
  def lateRows: Long = operators.values.map(_.lateRows.inAll).sum

  /** Whether the figures of each substream are known: an event log does not have them. */
  def isDetailed: Boolean = watermarks.values.forall(_.detail.isDefined)

  /** With at most `n` batches and events. */
  def last(n: Int): QueryFigures =
    copy(batches = batches.takeRight(n), events = events.takeRight(n))
}

/** How a run of a query is named: by the user, for all runs on its checkpoint, and for itself. */
final case class QueryIds(name: Option[String], id: UUID, runId: UUID) {

  /** The name of the query, or its id if it has none. */
  def label: String = name.getOrElse(id.toString)

  /** Whether a text is the name or one of the ids. */
  def matches(text: String): Boolean =
    name.contains(text) || Seq(id, runId).exists(_.toString.equalsIgnoreCase(text))
}

/** Whether a query runs. */
sealed abstract class RunState(val label: String)

object RunState {
  case object Running extends RunState("running")
  case object Ended extends RunState("ended")

  /** An event log that does not say how the run ended. */
  case object NotEnded extends RunState("not ended")

  /** @param reason the first line of the error, without its full stop */
  final case class Failed(reason: String) extends RunState("failed")

  def failed(message: String): RunState =
    Failed(message.linesIterator.nextOption().getOrElse("").trim.stripSuffix("."))
}

/**
 * The figures of a keyed watermark.
 *
 * @param heldBackBy
 *   the substream that the watermark waits for; `None` if all are idle
 * @param heldSinceMs
 *   the wall clock since when it is that substream, at the earliest the start of the run
 * @param heldBackMs
 *   how far that substream is behind the newest one
 * @param activeSubstreams
 *   how many substreams count
 * @param idleSubstreams
 *   how many substreams are left out
 * @param unreadSubstreams
 *   how many substreams have rows that were not read, where the source reports its substreams
 * @param movedAtMs
 *   the wall clock when the watermark last moved, at the earliest the start of the run
 * @param futureEvents
 *   how many rows were too far in the future
 * @param holders
 *   the own times of the last substreams that the watermark has waited for, at most
 *   `WatermarkFigures.MostHolders`
 * @param eventTime
 *   the event time column; not for a batch
 * @param settings
 *   the settings in force; not for a batch
 * @param detail
 *   what costs a look at each substream; not for a batch
 */
final case class WatermarkFigures(
    key: Int,
    watermarkMs: Option[Long],
    idle: Boolean,
    heldBackBy: Option[String],
    heldSinceMs: Option[Long],
    heldBackMs: Long,
    activeSubstreams: Int,
    idleSubstreams: Int,
    unreadSubstreams: Int,
    movedAtMs: Long,
    futureEvents: Count = Count.None,
    holders: SortedMap[String, Long] = SortedMap.empty,
    eventTime: Option[String] = None,
    settings: Option[WatermarkSettings] = None,
    detail: Option[WatermarkDetail] = None
) {

  /** How many substreams are known. */
  def knownSubstreams: Int = activeSubstreams + idleSubstreams

  /** How far the watermark is behind the wall clock; `None` without one, and at the end of time. */
  def lagMs(wallClockMs: Long): Option[Long] = WatermarkFigures.lagMs(watermarkMs, wallClockMs)

  /** By name; none if they are not known. */
  def substreams: Map[String, SubstreamFigures] = detail.fold(Map.empty[String, SubstreamFigures])(
    _.substreams
  )
}

object WatermarkFigures {

  /** So many of the last substreams that a watermark has waited for are followed. */
  val MostHolders = 4

  /** How far a watermark is behind the wall clock in ms; `None` without one, and at its end. */
  def lagMs(watermarkMs: Option[Long], wallClockMs: Long): Option[Long] =
    watermarkMs.filter(_ < EndOfTime.Ms).map(wallClockMs - _)
}

/**
 * The substreams of a watermark, and what an explanation needs to know beside them.
 *
 * @param columns
 *   the substream columns, each with its type
 * @param followsWallClock
 *   whether the watermark can move without a row
 * @param idleAfterMs
 *   after how many ms without a row a substream is idle that is behind the others; `None` is never
 * @param startedAtMs
 *   the wall clock at the start of the run
 * @param emptySinceMs
 *   the wall clock since when there was no row, as long as there is no substream
 * @param lastRowAtMs
 *   when rows were last read, in this run
 * @param lookedAtMs
 *   the wall clock of the last trigger
 * @param isStalled
 *   whether time is held in one place for longer than `spark.tidegate.stallWarning`
 */
final case class WatermarkDetail(
    substreams: Map[String, SubstreamFigures],
    columns: Seq[String],
    followsWallClock: Boolean,
    idleAfterMs: Option[Long],
    startedAtMs: Long,
    emptySinceMs: Long,
    lastRowAtMs: Option[Long],
    lookedAtMs: Long = 0,
    isStalled: Boolean = false
)

/**
 * The figures of a substream.
 *
 * @param watermarkMs
 *   its own watermark
 * @param idle
 *   whether it is left out
 * @param activeAtMs
 *   the wall clock when it last showed activity
 * @param isRead
 *   whether a row of it was read
 * @param isUnread
 *   whether the source has rows of it that were not read, where the source tells
 * @param newAtMs
 *   the wall clock when it appeared; `None` if it did before the start of the run
 * @param unreadRows
 *   how many rows of it are not read, where the source tells
 */
final case class SubstreamFigures(
    watermarkMs: Option[Long],
    idle: Boolean,
    activeAtMs: Long,
    isRead: Boolean,
    isUnread: Boolean,
    newAtMs: Option[Long],
    unreadRows: Option[Long] = None
)

/**
 * The figures of a stateful operator, or of one side of a join.
 *
 * @param heldBackBy
 *   the watermark that its rows wait for
 * @param evictionMs
 *   the watermark below which rows have left its state
 * @param evictionHeldBackBy
 *   the watermark that its state waits for; `None` if rows stay in it for ever
 * @param nextEndMs
 *   the end of the next window that will be closed, if the operator has windows of known length
 * @param lateRows
 *   the rows that it dropped as late
 * @param partlyLateRows
 *   the rows that came too late for some of their windows, and are in the others
 * @param partlyLateWindows
 *   how many windows these rows miss, all rows together
 * @param lateness
 *   how late the dropped rows were, since the query was started; none as long as there are none
 * @param state
 *   how large the state is; the sides of a join have one together
 * @param eventTime
 *   the column that it runs on; not for a batch
 */
final case class OperatorFigures(
    key: Int,
    watermarkMs: Option[Long],
    idle: Boolean,
    heldBackBy: String,
    evictionMs: Option[Long],
    evictionHeldBackBy: Option[String],
    nextEndMs: Option[Long],
    lateRows: Count = Count.None,
    partlyLateRows: Count = Count.None,
    partlyLateWindows: Count = Count.None,
    lateness: Option[LatenessFigures] = None,
    state: Option[StateSize] = None,
    eventTime: Option[String] = None
)

/** How large a state is: in rows, and in bytes as its store counts them. */
final case class StateSize(rows: Long, bytes: Long)

/** A number of rows: in a batch, or in the last one; and since the query was started. */
final case class Count(inBatch: Long, inAll: Long)

object Count {
  val None: Count = Count(0, 0)
}

/**
 * The figures at the end of a batch.
 *
 * @param wallClockMs
 *   the wall clock when the batch had ended
 * @param batchTimeMs
 *   the wall clock when the batch was put together: `current_timestamp()` in it
 * @param inputRows
 *   how many rows the batch read
 */
final case class BatchFigures(
    batchId: Long,
    wallClockMs: Long,
    batchTimeMs: Long,
    inputRows: Long,
    watermarks: SortedMap[String, WatermarkFigures] = SortedMap.empty,
    operators: SortedMap[String, OperatorFigures] = SortedMap.empty
) {

  /** Without the names of substreams, which are values of rows. */
  def withoutSubstreams: BatchFigures = copy(
    watermarks = watermarks.transform { (_, w) =>
      w.copy(heldBackBy = w.heldBackBy.map(_ => BatchFigures.Hidden), holders = SortedMap.empty)
    },
    operators = operators.transform { (_, o) =>
      o.copy(lateness = o.lateness.map(_.copy(substreams = SortedMap.empty)))
    }
  )
}

object BatchFigures {

  /** In the place of the name of a substream. */
  val Hidden: String = "(hidden)"
}
