package tidegate.operators

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.columns.EventTimeTag
import tidegate.core.clock.{BehindTime, CoalescedTime, InputTime, JoinTime, TightestTime}
import tidegate.plans.TimedPair

/**
 * The as-of join: our own operator. A left row waits until the watermark of the right side has
 * passed its time.
 */
private[tidegate] object AsOfJoin extends TimedOperator {

  override val name: String = "asOfJoin"

  override def is(plan: LogicalPlan): Boolean = unapply(plan).isDefined

  def unapply(plan: LogicalPlan): Option[TimedPair] = plan match {
    case pair: TimedPair if pair.kind == name => Some(pair)
    case _                                    => None
  }

  override def isPlannedAs(node: SparkPlan): Boolean = false

  /**
   * The time below which left rows are decided: the right watermark. While the right side is idle,
   * the left watermark moves that time on.
   */
  def decided(left: InputTime, right: InputTime): InputTime =
    if (left == right) right else TightestTime(Seq(right, CoalescedTime(Seq(left, right))))

  /** The time below which no left row comes any more, and none waits. */
  def passed(left: InputTime, right: InputTime): InputTime =
    JoinTime(Seq(left, decided(left, right)).distinct, Seq(left, right).distinct)

  /**
   * The key of the left time, held back by the right watermark. The version of a row may be of any
   * age, and so may be other times of the row.
   */
  override def passedOn(operator: LogicalPlan, times: TimesByKey): Map[Byte, InputTime] =
    operator match {
      case AsOfJoin(join) =>
        val going = for {
          key <- EventTimeTag.key(join.leftTime)
          left <- times.of(join.left).get(key)
          right <- EventTimeTag.key(join.rightTime).flatMap(times.of(join.right).get)
          if AsLate.areAll(join.left, join.leftTime)
        } yield key -> heldBy(join, passed(left, right))
        going.toMap
      case _ => Map.empty
    }

  /**
   * A row whose time is the right watermark still waits: the end of a window would be late there.
   */
  private def heldBy(join: TimedPair, passed: InputTime): InputTime =
    if (EventTimeTag.closesWindow(join.leftTime) && !EventTimeTag.closesWindow(join.rightTime))
      BehindTime(passed, 1)
    else passed
}
