package tidegate.builders

import org.apache.spark.sql.catalyst.expressions.{Between => _, Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project, SubqueryAlias, View}
import org.apache.spark.sql.tidegate.{SparkInternals, TimestampAddInterval}
import org.apache.spark.sql.types.CalendarIntervalType
import org.apache.spark.sql.{Column, DataFrame, Dataset}
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.checks.{CheckJoins, LostTime}
import tidegate.columns.EventTimeTag
import tidegate.errors.JoinErrors
import tidegate.operators.{JoinBounds, StreamJoin}
import tidegate.plans.{BoundsFollow, NamedOperator}
import tidegate.request.{Durations, NamedColumn}

/**
 * The bound of a stream join on the times of its sides: `base + lower <= time <= base + upper`.
 *
 * @param time
 *   a time column of one side, the right one if both have it
 * @param base
 *   a time column of the other side
 * @param lower
 *   a duration, which may be negative
 * @param upper
 *   a duration, not below `lower`
 */
final case class Between(time: String, base: String, lower: String, upper: String)

/** Builds stream joins; the one place where their arguments are checked. */
private[tidegate] object StreamJoins {
  private val MicrosPerMs = 1000L

  /** Implements the method `streamJoin` of a Dataset; see there. */
  def join(
      left: Dataset[_],
      right: Dataset[_],
      on: Either[Seq[String], Column],
      how: String,
      between: Option[Between]
  ): DataFrame = {
    def joined = on.fold(
      names => left.join(right, names, how),
      condition => left.join(right, condition, how)
    )
    // Spark's own join resolves names and condition; the bounds are then added to its condition.
    between.fold(joined) { b =>
      val bounds = new Bounds(b)
      val unbounded = CheckJoins.beforeBounds(joined)
      val plan = addTo(SparkInternals.analyzed(unbounded), bounds)
      SparkInternals.withPlan(
        unbounded,
        plan.getOrElse(throw new IllegalStateException("Spark's join has no join in its plan."))
      )
    }
  }

  /** An analyzed table with bounds added to its join; `None` if the table is not a join. */
  def bound(table: LogicalPlan, between: Between): Option[LogicalPlan] =
    addTo(table, new Bounds(between))

  /** Spark puts a projection above a join by names; views and aliases only name a table. */
  private def addTo(plan: LogicalPlan, bounds: Bounds): Option[LogicalPlan] = plan match {
    case j: Join          => Some(JoinBounds.and(j, bounds.of(j)))
    case p: Project       => addTo(p.child, bounds).map(join => p.copy(child = join))
    case s: SubqueryAlias => addTo(s.child, bounds)
    case v: View          => addTo(v.child, bounds)
    case b: BoundsFollow  => addTo(b.child, bounds)
    case n: NamedOperator => addTo(n.child, bounds).map(join => n.copy(child = join))
    case _                => None
  }

  /** The input of a join, and which of the two it is. */
  private type Side = (LogicalPlan, String)

  private final class Bounds(between: Between) {
    private val lowerMs = Durations.parseMs("between", between.lower, Long.MinValue)
    private val upperMs = Durations.parseMs("between", between.upper, Long.MinValue)
    if (lowerMs > upperMs) throw JoinErrors.betweenOrder(between.lower, between.upper)

    def of(join: Join): Seq[Expression] = {
      val ((time, timeSide), (base, baseSide)) = columns(join)
      if (time.dataType != base.dataType) {
        throw JoinErrors.betweenTypes(
          between.time,
          time.dataType,
          between.base,
          base.dataType
        )
      }
      if (StreamJoin.is(join)) {
        Seq(time -> timeSide, base -> baseSide).foreach { case (column, (input, side)) =>
          if (EventTimeTag.key(column).isEmpty) {
            throw LostTime
              .of(input, column)
              .fold(JoinErrors.betweenNotKeyed(column.name, side))(_.error)
          }
        }
      }
      Seq(
        GreaterThanOrEqual(time, plus(base, lowerMs, join)),
        LessThanOrEqual(time, plus(base, upperMs, join))
      )
    }

    /**
     * `time` is looked up on the right and `base` on the left; the other way round if that finds
     * more of them.
     */
    private def columns(join: Join): ((Attribute, Side), (Attribute, Side)) = {
      val (left, right) = (join.left -> "left", join.right -> "right")
      def found(time: LogicalPlan, base: LogicalPlan): Int =
        Seq(between.time -> time, between.base -> base).count { case (name, side) =>
          NamedColumn.find(side, String.valueOf(name)).isDefined
        }
      val swapped = found(join.left, join.right) > found(join.right, join.left)
      val (timeSide, baseSide) = if (swapped) (left, right) else (right, left)
      (column(between.time, timeSide), column(between.base, baseSide))
    }

    private def column(name: String, side: Side): (Attribute, Side) = {
      // A null is no name, and is not found either.
      val written = String.valueOf(name)
      val time = NamedColumn.of(side._1, "between", written) {
        JoinErrors.betweenColumnNotFound(written, side._2, side._1.output.map(_.name))
      }
      if (!EventTimeTag.isTime(time)) throw JoinErrors.betweenNotTimestamp(name, time.dataType)
      time -> side
    }

    /**
     * Adds a duration without days, because days of local time may be longer or shorter than 24
     * hours.
     */
    private def plus(base: Attribute, ms: Long, join: Join): Expression = {
      val micros = Math.multiplyExact(ms, MicrosPerMs)
      val interval = Literal(new CalendarInterval(0, 0, micros), CalendarIntervalType)
      if (ms == 0) base
      else TimestampAddInterval(base, interval, Some(join.conf.sessionLocalTimeZone))
    }
  }
}
