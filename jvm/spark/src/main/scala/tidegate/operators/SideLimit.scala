package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import tidegate.columns.EventTimeTag
import tidegate.core.EndOfTime
import tidegate.core.clock.OperatorBatch

/**
 * What lets rows of one side of a join leave the state in a batch.
 *
 * @param time
 *   the column
 * @param upTo
 *   rows up to this time in µs, inclusive, find no partner any more; `Long.MinValue` if no row
 *   leaves yet
 * @param before
 *   the same before this batch
 */
final case class SideLimit(time: Attribute, upTo: Long, before: Long)

private[tidegate] object SideLimit {

  /**
   * @param isInclusive
   *   whether a time at the watermark has passed too
   * @param isByKey
   *   whether the time is a key of the join that is the time of both sides: in a query that is as
   *   late as in Spark, rows at the limit leave then, as they do in Spark
   */
  def of(
      time: Attribute,
      times: OperatorBatch,
      isInclusive: Boolean,
      isByKey: Boolean
  ): SideLimit = {
    val isAtLimitPassed = EventTimeTag.isWindow(time) || isByKey && isInclusive
    SideLimit(
      time,
      upTo(times.evictionMs, isAtLimitPassed),
      upTo(times.evictedMs, isAtLimitPassed)
    )
  }

  /** The last time in µs that a limit in epoch ms has passed. */
  def upTo(limitMs: Long, isAtLimitPassed: Boolean): Long =
    if (limitMs <= OperatorBatch.NothingLate) Long.MinValue
    else
      EndOfTime.micros(limitMs) match {
        case limit if isAtLimitPassed || limit == EndOfTime.AfterAllMicros => limit
        case limit                                                         => limit - 1
      }
}
