package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, CTERelationDef, CTERelationRef, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.{KeyedWatermarks, TidegateErrors}
import tidegate.clock.RunningQuery
import tidegate.plans._
import tidegate.sql._

/** Looks up whose watermark `current_watermark` and `is_late` mean. */
object ResolveWatermarkFunctions extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.resolveOperatorsUp {
      case p if p.childrenResolved =>
        p.transformExpressions {
          case c: WatermarkCall if c.child.resolved =>
            CurrentOrigin.withOrigin(c.child.origin)(new Lookup(p, plan).resolve(c))
        }
    }
  }
}

/**
 * @param plan
 *   the node with the call
 * @param whole
 *   the plan that it is in, for common table expressions
 */
private final class Lookup(plan: LogicalPlan, whole: LogicalPlan) {

  def resolve(call: WatermarkCall): Expression = call match {
    case CurrentWatermarkCall(a: Attribute) =>
      CurrentWatermark(a.name, ofColumn(CurrentWatermarkCall.Name, a))
    case CurrentWatermarkCall(e) =>
      val name = WatermarkFunctions.text(e).getOrElse {
        throw TidegateErrors.watermarkNameNeeded(e.sql)
      }
      CurrentWatermark(name, ofName(name))
    case IsLateCall(e) =>
      if (!KeyedWatermarks.isTime(e) && !EventTimeTag.isWindow(e.dataType)) {
        throw TidegateErrors.isLateNotTime(e.sql, e.dataType)
      }
      e match {
        case a: Attribute =>
          IsLate(a, EventTimeTag.closesWindow(a), ofColumn(IsLateCall.Name, a))
        case other        => throw TidegateErrors.isLateComputed(other.sql)
      }
  }

  private def ofColumn(function: String, column: Attribute): WatermarkSource = {
    // A reference may have the metadata of before.
    val key = plan.children
      .flatMap(_.output)
      .find(_.exprId == column.exprId)
      .orElse(Some(column))
      .flatMap(EventTimeTag.key)
    if (key.isEmpty && isInQuery) {
      throw TidegateErrors.columnWithoutWatermark(function, column.name)
    }
    WatermarkSource(None, key)
  }

  private def ofName(name: String): WatermarkSource = {
    val nodes = plan.children.flatMap(nodesOf)
    val columns = plan.children.flatMap(_.output).filter(EventTimeTag.key(_).isDefined)
    val isNode = nodes.exists(_ == name)
    val column = columns.find(_.name.equalsIgnoreCase(name))
    if (isNode) WatermarkSource(Some(name), None)
    else if (column.isDefined) WatermarkSource(None, column.flatMap(EventTimeTag.key))
    else if (isInQuery) {
      throw TidegateErrors.unknownWatermark(name, (nodes ++ columns.map(_.name)).distinct)
    } else WatermarkSource(None, None)
  }

  /** The names of the watermarks below, as they will be numbered; in a batch all of its query. */
  private def nodesOf(child: LogicalPlan): Seq[String] =
    if (child.isStreaming) NameNodes(inlined(child)).collect { case k: KeyedWatermark => k.spec.name }
    else running.toSeq.flatMap(_.nodes.map(_.spec.name))

  /** Names are looked up behind references to common table expressions too. */
  private def inlined(child: LogicalPlan): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      child.transformUp { case r: CTERelationRef =>
        whole.collectFirst { case d: CTERelationDef if d.id == r.cteId => inlined(d.child) }.getOrElse(r)
      }
    }

  /** Data in files has no watermark, and any name is as good as another. */
  private def isInQuery: Boolean =
    plan.children.exists(_.isStreaming) || running.isDefined

  private def running: Option[RunningQuery] = RunningQuery.active
}

/** Tells the watermark functions, when a query starts, where their values come from. */
private[analysis] object FindFunctionInputs {

  def apply(plan: LogicalPlan): LogicalPlan = AnalysisHelper.allowInvokingTransformsInAnalyzer {
    plan.transformUp { case p =>
      p.transformExpressions {
        case f: WatermarkFunction if f.source.input.isEmpty => inputOf(f, p).fold(f: Expression)(f.withInput)
      }
    }
  }

  private def inputOf(function: WatermarkFunction, plan: LogicalPlan): Option[InputTime] =
    function.source match {
      case WatermarkSource(Some(node), _, _) => Some(NodeTime(node))
      case WatermarkSource(_, Some(key), _)  =>
        val sides = plan.children.filter(c => function.references.subsetOf(c.outputSet))
        val input = sides.flatMap(KeyedTimes.of(_).get(key)).headOption
        input.orElse {
          throw TidegateErrors.keyNotAvailable(
            function.sql,
            function.references.headOption.map(_.name).getOrElse(function.sql),
            key,
            KeyedTimes.whyMissing(plan.children.head, key)
          )
        }
      case _ => None
    }
}
