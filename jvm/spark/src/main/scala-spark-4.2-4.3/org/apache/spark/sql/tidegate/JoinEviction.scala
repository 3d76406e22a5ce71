package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.streaming.operators.stateful.join.StreamingSymmetricHashJoinHelper._

/**
 * The rows that leave the state of one side of a stream join: those for which `expired` holds.
 *
 * State format 4 finds these rows by their time, up to and including `upToMs`. It gets no previous
 * watermark: with one, it would skip rows that were below that watermark when they came.
 */
object JoinEviction {
  type Predicate = JoinStateWatermarkPredicate

  /** `expired` reads the key of the join. */
  def byKey(expired: Expression, upToMs: Long): Predicate =
    JoinStateKeyWatermarkPredicate(expired, upToMs)

  /** `expired` reads the row. */
  def byRow(expired: Expression, upToMs: Long): Predicate =
    JoinStateValueWatermarkPredicate(expired, upToMs)

  /** Both sides of a join. */
  def of(left: Option[Predicate], right: Option[Predicate]): JoinStateWatermarkPredicates =
    JoinStateWatermarkPredicates(left, right)
}
