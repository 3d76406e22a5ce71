package tidegate

import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.StreamingQueryProgress
import tidegate.clock.{ClockTable, TimeReports}
import tidegate.core.figures._

/**
 * What a batch of a query did to time.
 *
 * @param batchId
 *   the number of the batch
 * @param wallClock
 *   the wall clock when the batch had ended
 * @param batchTime
 *   the wall clock when the batch was put together: `current_timestamp()` in it
 * @param inputRows
 *   how many rows the batch read from the sources
 * @param watermarks
 *   the keyed watermarks at the end of the batch, by the name that they were given
 * @param operators
 *   the stateful operators, by names such as `aggregate`. A join has one for each side, `join.left`
 *   and `join.right`
 */
final case class BatchProgress(
    batchId: Long,
    wallClock: Instant,
    batchTime: Instant,
    inputRows: Long,
    watermarks: Map[String, WatermarkProgress],
    operators: Map[String, OperatorProgress]
)

/**
 * A keyed watermark at the end of a batch.
 *
 * @param key
 *   its key, from 0 to 127
 * @param watermark
 *   rows below it are late; none until there is one
 * @param lagMs
 *   how far it was behind the wall clock, in ms; none without a watermark, and at the end of time
 * @param idle
 *   whether all of its substreams were idle
 * @param heldBackBy
 *   the substream that it waited for; none if all were idle
 * @param heldBackSince
 *   the wall clock since when it was that substream, at the earliest the start of the query
 * @param heldBackMs
 *   how far that substream was behind the newest, in ms
 * @param activeSubstreams
 *   how many substreams counted
 * @param idleSubstreams
 *   how many substreams were left out
 * @param unreadSubstreams
 *   how many substreams had rows to be read, where the source tells
 * @param movedAt
 *   the wall clock when its time last moved, at the earliest the start of the query
 * @param futureEvents
 *   how many rows of the batch were further in the future than `maxFutureSkew`
 * @param futureEventsTotal
 *   the same, since the query was started
 */
final case class WatermarkProgress(
    key: Int,
    watermark: Option[Instant],
    lagMs: Option[Long],
    idle: Boolean,
    heldBackBy: Option[String],
    heldBackSince: Option[Instant],
    heldBackMs: Long,
    activeSubstreams: Int,
    idleSubstreams: Int,
    unreadSubstreams: Int,
    movedAt: Instant,
    futureEvents: Long,
    futureEventsTotal: Long
)

/**
 * A stateful operator, or one side of a join, at the end of a batch.
 *
 * @param key
 *   the key of the watermark that it runs on, from 0 to 127
 * @param watermark
 *   the time of its rows: those of the next batch that are below it are late; none until there is
 *   one
 * @param idle
 *   whether all of its input was idle
 * @param heldBackBy
 *   the keyed watermark that its rows waited for
 * @param evictionWatermark
 *   the time below which rows had left its state; none until there is one, or if rows stay for ever
 * @param evictionHeldBackBy
 *   the keyed watermark that its state waited for; none if rows stay for ever
 * @param lateRows
 *   how many rows of the batch were dropped as late
 * @param lateRowsTotal
 *   the same, since the query was started
 * @param partlyLateRows
 *   how many rows of the batch came too late for some of their sliding or growing windows, and are
 *   in the others
 * @param partlyLateRowsTotal
 *   the same, since the query was started
 * @param partlyLateWindows
 *   how many windows these rows of the batch miss, all rows together
 * @param partlyLateWindowsTotal
 *   the same, since the query was started
 * @param stateRows
 *   how many rows its state had; the sides of a join have one state together
 * @param stateBytes
 *   how large its state was in memory, in bytes, as its store counts them
 * @param nextWindowEnd
 *   the end of the next window that will be closed; none if the operator has no windows from frames
 */
final case class OperatorProgress(
    key: Int,
    watermark: Option[Instant],
    idle: Boolean,
    heldBackBy: String,
    evictionWatermark: Option[Instant],
    evictionHeldBackBy: Option[String],
    lateRows: Long,
    lateRowsTotal: Long,
    partlyLateRows: Long,
    partlyLateRowsTotal: Long,
    partlyLateWindows: Long,
    partlyLateWindowsTotal: Long,
    stateRows: Option[Long],
    stateBytes: Option[Long],
    nextWindowEnd: Option[Instant]
)

object BatchProgress {

  /** What the progress of a batch says, as Spark reports it. */
  private[tidegate] def of(progress: StreamingQueryProgress): Option[BatchProgress] = for {
    clock <- progress.sources.find(_.description == ClockTable.Name)
    text <- clock.metrics.asScala.get(TimeReports.Metric)
    batch <- FiguresJson.readBatch(text)
  } yield of(batch)

  private[tidegate] def of(batch: BatchFigures): BatchProgress = BatchProgress(
    batch.batchId,
    Instant.ofEpochMilli(batch.wallClockMs),
    Instant.ofEpochMilli(batch.batchTimeMs),
    batch.inputRows,
    batch.watermarks.transform((_, w) => of(w, batch.wallClockMs)),
    batch.operators.transform((_, o) => of(o))
  )

  private def of(w: WatermarkFigures, wallClockMs: Long): WatermarkProgress = WatermarkProgress(
    w.key,
    w.watermarkMs.map(Instant.ofEpochMilli),
    w.lagMs(wallClockMs),
    w.idle,
    w.heldBackBy,
    w.heldSinceMs.map(Instant.ofEpochMilli),
    w.heldBackMs,
    w.activeSubstreams,
    w.idleSubstreams,
    w.unreadSubstreams,
    Instant.ofEpochMilli(w.movedAtMs),
    w.futureEvents.inBatch,
    w.futureEvents.inAll
  )

  private def of(o: OperatorFigures): OperatorProgress = OperatorProgress(
    o.key,
    o.watermarkMs.map(Instant.ofEpochMilli),
    o.idle,
    o.heldBackBy,
    o.evictionMs.map(Instant.ofEpochMilli),
    o.evictionHeldBackBy,
    o.lateRows.inBatch,
    o.lateRows.inAll,
    o.partlyLateRows.inBatch,
    o.partlyLateRows.inAll,
    o.partlyLateWindows.inBatch,
    o.partlyLateWindows.inAll,
    o.state.map(_.rows),
    o.state.map(_.bytes),
    o.nextEndMs.map(Instant.ofEpochMilli)
  )
}
