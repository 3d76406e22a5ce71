package tidegate.checks

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.InnerLike
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.SparkRefusals
import tidegate.analysis.LowerAntiJoins
import tidegate.columns.EventTimeTag
import tidegate.errors.RefusalErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.{AppendedRows, KeyedWatermark, SessionWindows}

/**
 * Says what helps where Spark refuses a query with keyed watermarks and Tidegate has a way of its
 * own. What else Spark refuses keeps its sentence, without the plan below it, in which a user would
 * find the clock.
 */
object SayWhatHelps extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStreamStatement
          if conf.isUnsupportedOperationCheckEnabled && KeyedWatermark.isIn(w.inputQuery) =>
        checkSessions(w.inputQuery, w.outputMode)
        if (w.outputMode != OutputMode.Append()) checkResults(w.inputQuery, w.outputMode)
        w.inputQuery.foreach {
          case a: AppendedRows => check(a.rows, OutputMode.Append())
          case _               => ()
        }
        check(w.inputQuery, w.outputMode)
      case _ => ()
    }
    plan
  }

  private def check(query: LogicalPlan, mode: OutputMode): Unit =
    SparkRefusals.of(query, mode).foreach { error =>
      throw SparkRefusals
        .operator(error)
        .flatMap(inWords(_, mode))
        .getOrElse(SparkRefusals.inOneSentence(error))
    }

  /** Spark does not say which operator it means. */
  private def checkSessions(query: LogicalPlan, mode: OutputMode): Unit =
    if (mode == OutputMode.Update() && query.exists(isOfSessions)) {
      val lateness = query.collectFirst {
        case k: KeyedWatermark if k.spec.allowedLatenessMs.exists(_ > 0) => k.spec.name
      }
      throw RefusalErrors.sessionsInUpdate(lateness)
    }

  /**
   * Spark's sentence speaks of a global watermark, and of a setting with which the query runs and
   * gives wrong rows.
   */
  private def checkResults(query: LogicalPlan, mode: OutputMode): Unit = for {
    operator <- InlineCTE(alwaysInline = true)(query).find { node =>
      StatefulOperators.isOne(node) && !node.isInstanceOf[GlobalLimit] &&
      node.children.exists(_.exists(isResult))
    }
    found <- operator.children.flatMap(_.find(isResult)).headOption
    name <- StatefulOperators.name(operator)
  } {
    val result = found match {
      case AppendedRows(rows) => rows.find(comesAgain).getOrElse(rows)
      case other              => other
    }
    val mayUpdate = mode == OutputMode.Update() && isAggregation(operator) && comesAgain(result)
    throw RefusalErrors.resultsInState(
      name,
      keys(result),
      mode.toString.toLowerCase,
      mayUpdate
    )
  }

  private def isResult(node: LogicalPlan): Boolean = node match {
    case AppendedRows(rows) => rows.exists(comesAgain)
    case other              => isAggregation(other)
  }

  private def isAggregation(node: LogicalPlan): Boolean = node match {
    case _: Aggregate | _: Distinct => node.isStreaming
    case _                          => false
  }

  /** Whether a result has no time with which it could be complete. */
  private def comesAgain(node: LogicalPlan): Boolean = node match {
    case a: Aggregate if a.isStreaming => !(a.groupingExpressions ++ a.output).exists(isTime)
    case d: Distinct if d.isStreaming  => !d.output.exists(isTime)
    case _                             => false
  }

  private def isTime(e: Expression): Boolean = e match {
    case a: Attribute => EventTimeTag.key(a).isDefined
    case _            => false
  }

  private def keys(result: LogicalPlan): Seq[String] = result match {
    case a: Aggregate => a.groupingExpressions.map(toPrettySQL(_))
    case other        => other.output.map(_.name)
  }

  private def isOfSessions(node: LogicalPlan): Boolean = node match {
    case a: Aggregate => a.isStreaming && SessionWindows.areIn(a)
    case _            => false
  }

  private def inWords(operator: LogicalPlan, mode: OutputMode): Option[AnalysisException] =
    operator match {
      case s: Sort      => sorted(s)
      case a: Aggregate => a.aggregateExpressions.flatMap(distinct).headOption
      case j: Join      =>
        Option.when(isOfStreams(j))(joined(j, mode).orElse(lost(j))).flatten
      case d: DeduplicateWithinWatermark => lost(d)
      case _                             => None
    }

  private def lost(operator: LogicalPlan): Option[AnalysisException] =
    operator.children.flatMap(LostTime.in).headOption.map(_.error)

  private def sorted(sort: Sort): Option[AnalysisException] = for {
    order <- sort.order.headOption
    keyed = sort.child.output.filter(EventTimeTag.key(_).isDefined)
    time <- keyed
      .find(a => order.child.references.contains(a))
      .orElse(keyed.headOption)
      .map(_.name)
      .orElse(sort.child.collectFirst(Function.unlift(unselected)))
  } yield RefusalErrors.sorted(sort.order.map(o => toPrettySQL(o.child)), time)

  /** A time that the result of a step leaves out. */
  private def unselected(step: LogicalPlan): Option[String] =
    step.children.flatMap(_.output).find(EventTimeTag.key(_).isDefined).map(_.name)

  private def distinct(output: Expression): Option[AnalysisException] = output.collectFirst {
    case a @ AggregateExpression(f, _, true, _, _) =>
      RefusalErrors.distinct(
        toPrettySQL(a),
        f.children.map(toPrettySQL(_)),
        isCount = f.isInstanceOf[Count]
      )
  }

  private def isOfStreams(j: Join): Boolean = j.left.isStreaming && j.right.isStreaming

  private def joined(join: Join, mode: OutputMode): Option[AnalysisException] =
    Option.when(mode != OutputMode.Append() && !join.joinType.isInstanceOf[InnerLike]) {
      val how = if (LowerAntiJoins.isLowered(join)) "LEFT ANTI" else join.joinType.sql
      RefusalErrors.joinMode(how, mode.toString.toLowerCase)
    }
}
