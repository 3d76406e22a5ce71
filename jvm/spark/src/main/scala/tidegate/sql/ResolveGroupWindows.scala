package tidegate.sql

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedExtractValue,
  UnresolvedFunction
}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, SessionWindow, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.columns.WindowTimes.MicrosPerMs
import tidegate.errors.WindowErrors
import tidegate.request.Durations

/**
 * The windows that Flink had before its table functions: `TUMBLE(time, size)`, `HOP(time, slide,
 * size)` and `SESSION(time, gap)` among the keys of an aggregation, and their bounds in its result
 * by `TUMBLE_START`, `TUMBLE_END` and so on, with the same arguments. They become Spark's `window`
 * and `session_window`.
 *
 * In a rule, because functions of these names in Spark's registry would hide the table functions. A
 * function of a user's own comes first.
 */
private[tidegate] final case class ResolveGroupWindows(isFunction: Seq[String] => Boolean)
    extends Rule[LogicalPlan] {
  import ResolveGroupWindows._

  override def apply(plan: LogicalPlan): LogicalPlan =
    withTimes(plan.resolveExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case f: UnresolvedFunction if !f.isDistinct && f.filter.isEmpty =>
        f.nameParts match {
          case Seq(Call(name, bound)) if !isFunction(f.nameParts) => resolved(f, name, bound)
          case _                                                  => f
        }
    })

  /** The times of Spark's own windows, too, may be of processing. */
  private def withTimes(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case a: Aggregate =>
        a.transformExpressions {
          case f: UnresolvedFunction if isOfSpark(f) =>
            f.copy(arguments = WindowedTime(f.arguments.head) +: f.arguments.tail)
        }
    }

  private def resolved(f: UnresolvedFunction, name: String, bound: Option[String]): Expression =
    CurrentOrigin.withOrigin(f.origin) {
      val whole = window(name, f.arguments).getOrElse {
        throw WindowErrors.groupWindow(f.nameParts.head, Signatures(name), f.arguments.size)
      }
      bound.fold(whole)(field => UnresolvedExtractValue(whole, Literal(field)))
    }

  private def window(name: String, arguments: Seq[Expression]): Option[Expression] =
    (name, arguments) match {
      case ("TUMBLE", Seq(time, size)) =>
        val micros = lengthOf(name, "size", size, time)
        Some(TimeWindow(WindowedTime(time), micros, micros, 0L))
      case ("HOP", Seq(time, slide, size)) =>
        val sizeMicros = lengthOf(name, "size", size, time)
        val slideMicros = lengthOf(name, "slide", slide, time)
        if (slideMicros > sizeMicros)
          throw WindowErrors.groupHopSwapped(text(slide).orNull, text(size).orNull)
        Some(TimeWindow(WindowedTime(time), sizeMicros, slideMicros, 0L))
      case ("SESSION", Seq(time, gap)) =>
        Some(
          SessionWindow(
            WindowedTime(time),
            Literal(new CalendarInterval(0, 0, microsOf("gap", gap)))
          )
        )
      case _ => None
    }

  private def lengthOf(
      function: String,
      argument: String,
      e: Expression,
      time: Expression
  ): Long = {
    text(e).filter(Durations.hasMonths).foreach { found =>
      throw WindowErrors.ofMonths(function, argument, found, written(time))
    }
    microsOf(argument, e)
  }

  private def written(time: Expression): String = time match {
    case UnresolvedAttribute(nameParts) => nameParts.map(QuotingUtils.quoteIfNeeded).mkString(".")
    case other                          => other.sql
  }

  private def microsOf(argument: String, e: Expression): Long = {
    val found = text(e).getOrElse(throw Durations.invalid(argument, e.sql))
    Durations.parseMs(argument, found, smallestMs = 1) * MicrosPerMs
  }

  private def text(e: Expression): Option[String] = e match {
    case Literal(value, dataType) => CallArguments.durationText(dataType, value)
    case _                        => None
  }
}

private[tidegate] object ResolveGroupWindows {

  private val Signatures: Map[String, String] =
    Map("TUMBLE" -> "time, size", "HOP" -> "time, slide, size", "SESSION" -> "time, gap")

  /** A window function of Spark, as it was written. */
  private def isOfSpark(f: UnresolvedFunction): Boolean = f.nameParts match {
    case Seq(name) =>
      Seq("window", "session_window").exists(_.equalsIgnoreCase(name)) &&
      f.arguments.headOption.exists(!_.isInstanceOf[WindowedTime])
    case _ => false
  }

  /** A window, and the bound of the window that is asked for. */
  private object Call {
    def unapply(function: String): Option[(String, Option[String])] = {
      val name = function.toUpperCase(Locale.ROOT)
      Seq("_START", "_END")
        .find(name.endsWith)
        .map(suffix => name.stripSuffix(suffix) -> Some(suffix.drop(1).toLowerCase(Locale.ROOT)))
        .orElse(Some(name -> None))
        .filter { case (window, _) => Signatures.contains(window) }
    }
  }
}
