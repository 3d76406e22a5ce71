package tidegate.operators

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.LeftSemi
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.{JoinEviction, StreamingSymmetricHashJoinExec}
import org.apache.spark.sql.types.LongType
import tidegate.columns.EventTimeTag
import tidegate.core.EndOfTime
import tidegate.core.clock.OperatorBatch

/**
 * Gives each side of a stream join the limit below which its rows leave the state; the limit comes
 * from the watermark of the other side.
 *
 * Spark derives its own predicates from one watermark for both sides, and from the loosest bound.
 */
private[tidegate] object BindJoin {

  /**
   * @param left
   *   what evicts the rows of the left side: one for each column in the bounds
   */
  def apply(
      join: StreamingSymmetricHashJoinExec,
      left: Seq[StateTimes],
      right: Seq[StateTimes]
  ): StreamingSymmetricHashJoinExec = {
    val byKey = keyOrdinal(join.leftKeys, join.rightKeys, left, right)
    val keyed =
      if (byKey.isDefined) join
      else
        // Otherwise the state would be sorted by a key that is the time of only one side.
        join.copy(leftKeys = join.leftKeys.map(untagged), rightKeys = join.rightKeys.map(untagged))
    keyed.copy(
      eventTimeWatermarkForLateEvents = None,
      // Spark only compares this value with its own watermark, which is always 0 here.
      eventTimeWatermarkForEviction = Some(0L),
      stateWatermarkPredicates = JoinEviction.of(
        predicate(join, left, join.left, join.leftKeys, byKey, _.evictionMs),
        predicate(join, right, join.right, join.rightKeys, byKey, evictionOfRight(join))
      )
    )
  }

  /**
   * A semi join takes the right rows first, and Spark does not store rows that would leave in this
   * batch: left rows of the same batch could not find them. So right rows leave one batch later;
   * but at the end of time no rows come, and no later batch does.
   */
  private def evictionOfRight(join: StreamingSymmetricHashJoinExec)(times: StateTimes): Long =
    if (join.joinType == LeftSemi && times.evictionMs < EndOfTime.Ms) times.evictedMs
    else times.evictionMs

  /** The join key that is the time of both sides, if it is the only time in the bounds. */
  def keyOrdinal(
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      left: Seq[StateTimes],
      right: Seq[StateTimes]
  ): Option[Int] =
    (left, right) match {
      case (Seq(l), Seq(r)) =>
        val i = leftKeys.zip(rightKeys).indexWhere { case (lk, rk) =>
          is(lk, l) && is(rk, r)
        }
        if (i < 0) None else Some(i)
      case _ => None
    }

  private def is(key: Expression, times: StateTimes): Boolean = key match {
    case a: Attribute => a.exprId == times.time.exprId && EventTimeTag.hasSparkTag(a)
    case _            => false
  }

  private def untagged(key: Expression): Expression = key match {
    case a: Attribute if EventTimeTag.hasSparkTag(a) => EventTimeTag.withoutSparkTag(a)
    case other                                       => other
  }

  /**
   * Selects the rows that leave the state of one side: by one of the bounds they find no partner
   * any more.
   */
  private def predicate(
      join: StreamingSymmetricHashJoinExec,
      times: Seq[StateTimes],
      side: SparkPlan,
      keys: Seq[Expression],
      byKey: Option[Int],
      evictionMs: StateTimes => Long
  ): Option[JoinEviction.Predicate] = {
    val limits = for {
      of <- times
      limitMs = evictionMs(of)
      if limitMs > OperatorBatch.NothingLate
      column <- side.output.find(_.exprId == of.time.exprId)
      // State format 4 uses only the column with Spark's tag.
      if join.stateFormatVersion < 4 || EventTimeTag.hasSparkTag(column)
      isWindow = EventTimeTag.isWindow(column)
    } yield Limit(column, limitMs, isWindow || byKey.isDefined && of.isInclusive)
    limits.headOption.map { first =>
      byKey match {
        case Some(i) =>
          val key = BoundReference(i, keys(i).dataType, keys(i).nullable)
          JoinEviction.byKey(first.passed(key), first.upToMs)
        case None =>
          JoinEviction.byRow(limits.map(l => l.passed(l.column)).reduce(Or(_, _)), first.upToMs)
      }
    }
  }

  /**
   * @param isAtLimitPassed
   *   whether rows at the limit leave too: windows that end there are closed; and in a query that
   *   is as late as in Spark, Spark's operator evicts so by keys, but not by bounds
   */
  private final case class Limit(column: Attribute, limitMs: Long, isAtLimitPassed: Boolean) {

    /** In format 4 Spark evicts up to this value, inclusive. */
    def upToMs: Long = if (isAtLimitPassed) limitMs else StateTimes.passed(limitMs)

    /** @param time the column, or the join key that is the column */
    def passed(time: Expression): Expression = {
      val value = if (EventTimeTag.isWindow(column)) GetStructField(time, 1) else time
      val upTo = SideLimit.upTo(limitMs, isAtLimitPassed)
      LessThanOrEqual(PreciseTimestampConversion(value, value.dataType, LongType), Literal(upTo))
    }
  }
}
