package tidegate.checks

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.streaming.OutputMode
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.errors.WindowErrors
import tidegate.operators.WindowColumns
import tidegate.plans.{ColumnOrigin, KeyedWatermark}

/**
 * Refuses aggregations over our windows that would never emit a row. Spark refuses them too, right
 * after this, but cannot say which column is meant.
 */
object CheckWindowedAggregates extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStreamStatement if w.outputMode == OutputMode.Append() =>
        InlineCTE(alwaysInline = true)(w.inputQuery).foreach {
          case a: Aggregate if a.child.isStreaming => check(a)
          case _                                   => ()
        }
      case _ => ()
    }
    plan
  }

  private def check(aggregate: Aggregate): Unit = {
    val keys = aggregate.groupingExpressions.collect { case a: Attribute => a }
    if (!keys.exists(EventTimeTag.hasSparkTag)) {
      // For a session, only the result of the aggregation has our columns.
      for {
        key <- keys.headOption
        window <- (keys ++ aggregate.output).find(WindowMark.of(_).isDefined)
      } {
        CurrentOrigin.withOrigin(key.origin) {
          throw withoutWatermark(aggregate.child, window, WindowMark.of(window).get)
        }
      }
    }
  }

  private def withoutWatermark(
      plan: LogicalPlan,
      window: Attribute,
      mark: WindowMark
  ): AnalysisException = {
    val column = mark.timeColumn
    val ordered = plan.output.filter(EventTimeTag.key(_).isDefined) match {
      case Seq()   => plan.collect { case k: KeyedWatermark => k.eventTime }
      case columns => columns
    }
    val sources = for {
      (time, input) <- WindowColumns
        .madeOf(plan, window)
        .orElse(plan.output.find(_.name == column).map(_ -> plan))
        .toSeq
      definition <- ColumnOrigin.inFirstBranch(input, time).computedBy.toSeq
      source <- definition.references.toSeq
      if EventTimeTag.key(source).isDefined
    } yield source.name
    (sources, ordered) match {
      case (Seq(source, _*), _) =>
        WindowErrors.windowOnComputedTime(mark.function, column, source)
      case (_, Seq()) => WindowErrors.windowWithoutWatermark(mark.function, column)
      case _          => WindowErrors.windowOnOtherTime(mark.function, column, ordered.map(_.name))
    }
  }
}
