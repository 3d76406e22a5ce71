package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import tidegate.columns.{InputTime, NodeTime, WatermarkFunction, WatermarkSource}
import tidegate.errors.{FunctionErrors, WatermarkErrors}
import tidegate.operators.KeyedTimes
import tidegate.plans.KeyedWatermark

/** Tells the watermark functions, when a query starts, where their values come from. */
private[tidegate] object FindFunctionInputs {

  def apply(plan: LogicalPlan): LogicalPlan = AnalysisHelper.allowInvokingTransformsInAnalyzer {
    def found(below: LogicalPlan): PartialFunction[Expression, Expression] = {
      case f: WatermarkFunction if f.source.input.isEmpty =>
        inputOf(f, below, plan).fold(f: Expression)(f.withInput)
    }
    plan
      .transformUp { case p => p.transformExpressions(found(p)) }
      // What is left stands in a subquery without a stream of its own.
      .transformAllExpressionsWithSubqueries(found(plan))
  }

  private def inputOf(
      function: WatermarkFunction,
      plan: LogicalPlan,
      whole: LogicalPlan
  ): Option[InputTime] =
    function.source match {
      case WatermarkSource(Some(name), _, _) =>
        Some(NodeTime(nodeBelow(plan, name).orElse(nodeBelow(whole, name)).getOrElse {
          throw FunctionErrors.unknownWatermark(name, nodes(whole))
        }))
      case WatermarkSource(_, Some(key), _) =>
        val sides = plan.children.filter(c => function.references.subsetOf(c.outputSet))
        val input = sides.flatMap(KeyedTimes.of(_).get(key)).headOption
        input.orElse {
          throw WatermarkErrors.keyNotAvailable(
            function.sql,
            function.references.headOption.map(_.name).getOrElse(function.sql),
            key,
            KeyedTimes.whyMissing(plan.children.head, key)
          )
        }
      case _ => None
    }

  private def nodes(plan: LogicalPlan): Seq[String] =
    plan.collect { case k: KeyedWatermark => k.spec.name }

  /** A watermark whose name is used more than once has a number by now. */
  private def nodeBelow(plan: LogicalPlan, name: String): Option[String] = {
    val below = nodes(plan)
    def isNumbered(node: String) =
      node.startsWith(s"$name-") && node.drop(name.length + 1).forall(_.isDigit)
    below.find(_ == name).orElse(below.find(isNumbered))
  }
}
