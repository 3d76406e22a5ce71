package tidegate.own.sessions

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.plans.{DropLate, RetagEventTime}

/** Finds out how far apart the rows of a session may be. */
private[tidegate] object SessionGap {
  private val MicrosPerDay = 24L * 60 * 60 * 1000 * 1000

  /**
   * The gap of the sessions in a column of a plan, in µs; or why it is not one constant for all
   * rows.
   */
  @tailrec
  def of(plan: LogicalPlan, session: Attribute): Either[String, Long] = plan match {
    case p: Project =>
      p.projectList.find(_.exprId == session.exprId) match {
        case Some(Alias(source: Attribute, _)) => of(p.child, source)
        case Some(Alias(definition, _))        => ofDefinition(definition)
        case _                                 => of(p.child, session)
      }
    case _: Filter | _: DropLate | _: RetagEventTime | _: SubqueryAlias | _: View =>
      of(plan.children.head, session)
    case other =>
      Left(s"there is a ${other.nodeName} between the session window and the aggregation")
  }

  /**
   * The gap in the definition of a session window, if it is a constant that is no interval above 0:
   * Spark then leaves out each row.
   */
  def nothing(session: Expression): Option[Expression] = sum(session).map(_.right).filter { gap =>
    gap.eval() match {
      case i: CalendarInterval => i.months <= 0 && i.days <= 0 && i.microseconds <= 0
      case other               => other == null
    }
  }

  private def ofDefinition(session: Expression): Either[String, Long] =
    sum(session).map(sum => sum.right.eval() -> sum) match {
      case Some((gap: CalendarInterval, sum)) => micros(gap, sum)
      case _                                  => dynamic
    }

  /** The end of a session of one row, as the time of the row and a constant gap. */
  private def sum(session: Expression): Option[BinaryExpression] = session match {
    case CreateNamedStruct(Seq(_, start, _, end)) =>
      (plain(start), plain(end)) match {
        case (time, sum: BinaryExpression) if sum.left.semanticEquals(time) && sum.right.foldable =>
          Some(sum)
        case _ => None
      }
    case _ => None
  }

  private def dynamic = Left("the gap of the sessions is not the same for all rows")

  private def micros(gap: CalendarInterval, sum: BinaryExpression): Either[String, Long] = {
    val micros = BigInt(gap.days) * MicrosPerDay + gap.microseconds
    if (gap.months != 0 || !micros.isValidLong || micros <= 0) dynamic
    else if (gap.days != 0 && !daysAreEqual(sum))
      Left("days of the time zone of the session differ in length; give the gap in hours")
    else Right(micros.toLong)
  }

  private def daysAreEqual(sum: BinaryExpression): Boolean = sum match {
    case _ if sum.left.dataType == TimestampNTZType => true
    case t: TimeZoneAwareExpression                 =>
      t.timeZoneId.exists(id => DateTimeUtils.getZoneId(id).getRules.isFixedOffset)
    case _ => false
  }

  @tailrec
  private def plain(time: Expression): Expression = time match {
    case c: PreciseTimestampConversion => plain(c.child)
    case n: KnownNullable              => plain(n.child)
    // Spark casts the sum to the type that it has.
    case c: Cast if c.child.dataType == c.dataType => plain(c.child)
    case other                                     => other
  }
}
