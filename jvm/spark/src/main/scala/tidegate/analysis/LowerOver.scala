package tidegate.analysis

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.columns.EventTimeTag
import tidegate.errors.RefusalErrors
import tidegate.own.order.EventTimeOrder
import tidegate.own.over._
import tidegate.plans.{ColumnOrigin, KeyedWatermark}

/**
 * Makes functions with `OVER` that look back from each row by a keyed time operators of our own:
 * Spark has no such functions over streams. The rows pass an event-time order first.
 *
 * For the plan of a query that is about to start. In batch queries the functions are Spark's.
 */
object LowerOver extends AtStart {

  override protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan =
    if (!query.exists(isStreamWindow)) query
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        val isAlone = query.collect { case w: Window => w.windowExpressions.size }.sum == 1
        query.transformUp {
          case w: Window if isStreamWindow(w) && KeyedWatermark.isIn(w) => lowered(w, mode, isAlone)
          case w: Window if isStreamWindow(w)                           => checkRank(w, isAlone)
        }
      }

  private def isStreamWindow(plan: LogicalPlan): Boolean = plan match {
    case w: Window => w.isStreaming
    case _         => false
  }

  /** A rank without a limit would keep all rows for ever. */
  private def checkRank(w: Window, isAlone: Boolean): Window = {
    w.windowExpressions.collectFirst {
      case a @ Alias(WindowExpression(_: RowNumber | _: Rank | _: DenseRank, _), _) =>
        throw RefusalErrors.rankWithoutLimit(toPrettySQL(a.child), a.name, isAlone)
    }
    w
  }

  /** Whether this rule makes the functions an operator, in output mode append. */
  def takes(w: Window): Boolean = KeyedWatermark.isIn(w) && operator(w).isRight

  private def lowered(w: Window, mode: OutputMode, isAlone: Boolean): LogicalPlan =
    operator(w)
      .filterOrElse(
        _ => mode == OutputMode.Append(),
        functionsOf(w).head ->
          s"a row leaves once, in output mode append, and the query has ${mode.toString.toLowerCase}"
      )
      .fold(
        { case (function, reason) =>
          checkRank(w, isAlone)
          throw RefusalErrors.over(toPrettySQL(function), reason)
        },
        identity
      )

  private def functionsOf(w: Window): Seq[Expression] = w.windowExpressions.map {
    case Alias(e, _) => e
    case other       => other
  }

  /** The operator, above an order; or a function that it cannot have, and why. */
  private def operator(w: Window): Either[(Expression, String), LogicalPlan] = {
    val functions = functionsOf(w)
    for {
      time <- timeOf(w).left.map(functions.head -> _)
      results <- functions.partitionMap(resultOf(_, time)) match {
        case (refused +: _, _) => Left(refused)
        case (_, all)          => Right(all)
      }
    } yield {
      val keys = w.partitionSpec.collect { case a: Attribute => a }.distinctBy(_.exprId)
      val columns = w.windowExpressions.map(_.toAttribute)
      val state = OverState(
        time.name,
        keys.map(inWords(_, w.child)),
        results.flatMap(OverFunction.in).distinct.map(inWords(_, w.child))
      )
      val ordered = EventTimeOrder(keys, time, None, w.child)
      OverAggregate(results, columns, keys, time, state, None, ordered)
    }
  }

  /**
   * An expression as the query has it: Spark computes parts of it below, under names of its own.
   */
  private def inWords(e: Expression, input: LogicalPlan): String = toPrettySQL(e.transformUp {
    case a: Attribute if a.name.matches("_w\\d+") =>
      ColumnOrigin.inFirstBranch(input, a).computedBy.getOrElse(a)
  })

  private def resultOf(e: Expression, time: Attribute): Either[(Expression, String), Expression] =
    e.collect { case window: WindowExpression => functionOf(window, time) }
      .collectFirst { case Left(reason) => e -> reason }
      .toLeft(e.transform { case window: WindowExpression =>
        functionOf(window, time).getOrElse(window)
      })

  private def timeOf(w: Window): Either[String, Attribute] = w.orderSpec match {
    case Seq(SortOrder(a: Attribute, Ascending, _, _)) =>
      w.child.output
        .find(_.exprId == a.exprId)
        .filter(a => EventTimeTag.key(a).isDefined && EventTimeTag.isTime(a))
        .toRight(
          s"its ORDER BY has `${inWords(a, w.child)}`, which is no time with a watermark"
        )
    case Seq() => Left("it has no ORDER BY, and a stream has no last row")
    case other =>
      val found = other.map(inWords(_, w.child)).mkString(", ")
      Left(s"its ORDER BY has $found, and not a time with a watermark alone, from early to late")
  }

  private def functionOf(
      window: WindowExpression,
      time: Attribute
  ): Either[String, Expression] = for {
    frame <- frameOf(window.windowSpec.frameSpecification, time)
    function <- (window.windowFunction, frame) match {
      case (AggregateExpression(f, _, false, None, _), _) if !f.isInstanceOf[PythonUDAF] =>
        Right(OverFunction(f, frame))
      case (_: RowNumber, _) =>
        // A stream has no end, and the type of the result has one.
        val number = OverFunction(Count(Literal(1)), frame)
        Right(Cast(Least(Seq(number, Literal(Int.MaxValue.toLong))), window.dataType))
      case (n: NthValue, _) if n.offset.foldable && n.offset.eval() == 1 =>
        Right(OverFunction(First(n.input, n.ignoreNulls), frame))
      case (AggregateExpression(_, _, _, Some(_), _), _) =>
        Left(
          "it has a FILTER; put the condition into the argument, as in sum(CASE WHEN ... THEN x END)"
        )
      case (lag: Lag, OverRows(Some(_), _)) if !lag.ignoreNulls => Right(lagged(lag, frame))
      case (lag: Lag, OverRows(_, _)) if lag.ignoreNulls        =>
        Left("it has IGNORE NULLS, and would have to keep rows of any age")
      case (other, _) => Left(s"${toPrettySQL(other)} is none of the functions for streams")
    }
  } yield function

  /** The value of one row; in a struct if NULL has to be told from no row. */
  private def lagged(lag: Lag, frame: OverFrame): Expression =
    if (lag.default.foldable && lag.default.eval() == null)
      OverFunction(First(lag.input, ignoreNulls = false), frame)
    else {
      val row = OverFunction(First(CreateStruct(Seq(lag.input)), ignoreNulls = false), frame)
      If(IsNull(row), Cast(lag.default, lag.dataType), GetStructField(row, 0))
    }

  private def frameOf(frame: WindowFrame, time: Attribute): Either[String, OverFrame] =
    frame match {
      case SpecifiedWindowFrame(RowFrame, lower, upper) =>
        for {
          from <- if (lower == UnboundedPreceding) Right(None) else rows(lower).map(Some(_))
          until <- rows(upper)
        } yield OverRows(from, until)
      case SpecifiedWindowFrame(RangeFrame, lower, upper) =>
        for {
          from <- if (lower == UnboundedPreceding) Right(None) else before(lower, time).map(Some(_))
          until <- before(upper, time)
        } yield OverRange(from, until)
      case other => Left(s"its frame is ${other.sql}")
    }

  private def rows(bound: Expression): Either[String, Int] = bound match {
    case CurrentRow                                                   => Right(0)
    case offset if offset.foldable && offset.eval().isInstanceOf[Int] =>
      val n = offset.eval().asInstanceOf[Int]
      Either.cond(n <= 0 && n != Int.MinValue, -n, after)
    case _ => Left(after)
  }

  private def before(bound: Expression, time: Attribute): Either[String, TimeBefore] = {
    val zone = if (time.dataType == TimestampNTZType) "UTC" else conf.sessionLocalTimeZone
    val found = bound match {
      case CurrentRow                    => Some(TimeBefore.Zero)
      case interval if interval.foldable =>
        interval.eval() match {
          case i: CalendarInterval => Some(TimeBefore(i.months, i.days, i.microseconds, zone))
          case months: Int         => Some(TimeBefore(months, 0, 0L, zone))
          case micros: Long        =>
            val day = TimeUnit.DAYS.toMicros(1)
            Some(TimeBefore(0, (micros / day).toInt, micros % day, zone))
          case _ => None
        }
      case _ => None
    }
    found.filter(_.isBefore).toRight(after)
  }

  private val after = "its frame ends after the row, and a row would have to wait for later ones"
}
