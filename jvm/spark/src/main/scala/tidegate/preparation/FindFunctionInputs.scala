package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import tidegate.columns.{WatermarkFunction, WatermarkSource}
import tidegate.core.clock.{InputTime, NodeTime}
import tidegate.errors.{FunctionErrors, WatermarkErrors}
import tidegate.operators.KeyedTimes
import tidegate.plans.KeyedWatermark

/** Tells the watermark functions, when a query starts, where their values come from. */
private[tidegate] object FindFunctionInputs {

  def apply(plan: LogicalPlan): LogicalPlan = AnalysisHelper.allowInvokingTransformsInAnalyzer {
    val times = new KeyedTimes
    def found(below: LogicalPlan): PartialFunction[Expression, Expression] = {
      case f: WatermarkFunction if f.source.input.isEmpty =>
        inputOf(f, below, plan, times).fold(f: Expression)(f.withInput)
    }
    plan
      .transformUp { case p => p.transformExpressions(found(p)) }
      // The functions that are left are in a subquery without a stream of its own.
      .transformAllExpressionsWithSubqueries(found(plan))
  }

  private def inputOf(
      function: WatermarkFunction,
      plan: LogicalPlan,
      whole: LogicalPlan,
      times: KeyedTimes
  ): Option[InputTime] =
    function.source match {
      case WatermarkSource(Some(name), _, _) =>
        val all = nodes(whole)
        val spec = NameNodes.find(nodes(plan), name).orElse(NameNodes.find(all, name))
        Some(NodeTime(spec.getOrElse {
          throw FunctionErrors.unknownWatermark(name, all.map(_.spec.name))
        }.name))
      case WatermarkSource(_, Some(key), _) =>
        val sides = plan.children.filter(c => function.references.subsetOf(c.outputSet))
        val input = sides.flatMap(times.of(_).get(key)).headOption
        input.orElse {
          throw WatermarkErrors.keyNotAvailable(
            function.sql,
            function.references.headOption.map(_.name).getOrElse(function.sql),
            key,
            times.whyMissing(plan.children.head, key)
          )
        }
      case _ => None
    }

  private def nodes(plan: LogicalPlan): Seq[KeyedWatermark] =
    plan.collect { case k: KeyedWatermark => k }
}
