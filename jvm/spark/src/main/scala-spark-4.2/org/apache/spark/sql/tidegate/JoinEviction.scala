package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.streaming.operators.stateful.join.StreamingSymmetricHashJoinHelper._

/**
 * Which rows leave the state of one side of a join of streams: those that are `expired`.
 *
 * State format 4 finds them by their time, up to and with `upToMs`. It is not told the watermark
 * before, as it would not look for rows that were below it when they came.
 */
object JoinEviction {
  type Predicate = JoinStateWatermarkPredicate

  /** `expired` is about the key of the join. */
  def byKey(expired: Expression, upToMs: Long): Predicate =
    JoinStateKeyWatermarkPredicate(expired, upToMs)

  /** `expired` is about the rows. */
  def byRow(expired: Expression, upToMs: Long): Predicate =
    JoinStateValueWatermarkPredicate(expired, upToMs)

  /** For a join: what leaves the state of each of its sides. */
  def of(left: Option[Predicate], right: Option[Predicate]): JoinStateWatermarkPredicates =
    JoinStateWatermarkPredicates(left, right)
}
