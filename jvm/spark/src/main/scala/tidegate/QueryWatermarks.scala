package tidegate

import java.time.Instant

import tidegate.core.figures._

/**
 * The watermarks of a query, and of its stateful operators.
 *
 * @param watermarks
 *   the keyed watermarks, by the name that they were given
 * @param operators
 *   the stateful operators, by names such as `aggregate`. A join has one for each side, `join.left`
 *   and `join.right`
 */
final case class QueryWatermarks(
    watermarks: Map[String, WatermarkStatus],
    operators: Map[String, OperatorStatus]
)

/**
 * A keyed watermark of a query.
 *
 * @param key
 *   its key, from 0 to 127
 * @param watermark
 *   the time up to which all rows are expected to have arrived, in whole milliseconds; none until
 *   there is one
 * @param idle
 *   whether all of its substreams are idle
 * @param eventTime
 *   the name of the event time column
 * @param heldBackBy
 *   the substream furthest behind, which the watermark waits for; none if all are idle
 * @param futureEvents
 *   how many rows since the start of the query were further ahead of the wall clock than
 *   `maxFutureSkew`
 * @param substreams
 *   the substreams by name: the values of their columns, joined by `/`
 */
final case class WatermarkStatus(
    key: Int,
    watermark: Option[Instant],
    idle: Boolean,
    eventTime: String,
    heldBackBy: Option[String],
    futureEvents: Long,
    substreams: Map[String, SubstreamStatus]
)

/**
 * A substream of a keyed watermark.
 *
 * @param watermark
 *   its own watermark, in whole milliseconds; none until there is one
 * @param idle
 *   whether it is left out of the minimum
 */
final case class SubstreamStatus(watermark: Option[Instant], idle: Boolean)

/**
 * A stateful operator of a query, or one side of a join.
 *
 * @param key
 *   the key of the watermark that it runs on, from 0 to 127
 * @param watermark
 *   the time below which rows are late for the operator, in whole milliseconds; none until there is
 *   one
 * @param idle
 *   whether all of its input is idle
 * @param eventTime
 *   the name of the column that it runs on
 * @param heldBackBy
 *   the keyed watermark furthest behind, which the operator waits for
 * @param evictionWatermark
 *   the time below which rows have left the operator's state, in whole milliseconds; none until
 *   there is one, or if rows stay for ever
 * @param evictionHeldBackBy
 *   the keyed watermark that its state waits for; for one side of a join, a watermark of the other
 *   side. None if rows stay in the state for ever
 * @param lateRows
 *   how many rows it dropped as late since the query was started
 * @param partlyLateRows
 *   how many rows came too late for some of their sliding or growing windows, and are in the
 *   others, since the query was started
 * @param partlyLateWindows
 *   how many windows these rows miss, all rows together
 */
final case class OperatorStatus(
    key: Int,
    watermark: Option[Instant],
    idle: Boolean,
    eventTime: String,
    heldBackBy: String,
    evictionWatermark: Option[Instant],
    evictionHeldBackBy: Option[String],
    lateRows: Long,
    partlyLateRows: Long,
    partlyLateWindows: Long
)

object QueryWatermarks {

  private[tidegate] def of(query: QueryFigures): QueryWatermarks = QueryWatermarks(
    query.watermarks.transform((_, w) => of(w)),
    query.operators.transform((_, o) => of(o))
  )

  private def of(w: WatermarkFigures): WatermarkStatus = WatermarkStatus(
    w.key,
    w.watermarkMs.map(Instant.ofEpochMilli),
    w.idle,
    w.eventTime.getOrElse(""),
    w.heldBackBy,
    w.futureEvents.inAll,
    w.substreams.transform { (_, s) =>
      SubstreamStatus(s.watermarkMs.map(Instant.ofEpochMilli), s.idle)
    }
  )

  private def of(o: OperatorFigures): OperatorStatus = OperatorStatus(
    o.key,
    o.watermarkMs.map(Instant.ofEpochMilli),
    o.idle,
    o.eventTime.getOrElse(""),
    o.heldBackBy,
    o.evictionMs.map(Instant.ofEpochMilli),
    o.evictionHeldBackBy,
    o.lateRows.inAll,
    o.partlyLateRows.inAll,
    o.partlyLateWindows.inAll
  )
}
