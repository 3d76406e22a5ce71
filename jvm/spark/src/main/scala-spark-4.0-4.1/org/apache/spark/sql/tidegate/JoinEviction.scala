package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.Expression

/** The rows that leave the state of one side of a stream join: those for which `expired` holds. */
object JoinEviction {
  type Predicate = JoinStateHelper.JoinStateWatermarkPredicate

  /** `expired` reads the key of the join; these versions of Spark do not ask up to which time. */
  def byKey(expired: Expression, upToMs: Long): Predicate = {
    val _ = upToMs
    JoinStateHelper.JoinStateKeyWatermarkPredicate(expired)
  }

  /** `expired` reads the row. */
  def byRow(expired: Expression, upToMs: Long): Predicate = {
    val _ = upToMs
    JoinStateHelper.JoinStateValueWatermarkPredicate(expired)
  }

  /** Both sides of a join. */
  def of(
      left: Option[Predicate],
      right: Option[Predicate]
  ): JoinStateHelper.JoinStateWatermarkPredicates =
    JoinStateHelper.JoinStateWatermarkPredicates(left, right)
}
