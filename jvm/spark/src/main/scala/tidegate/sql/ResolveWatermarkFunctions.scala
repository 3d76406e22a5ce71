package tidegate.sql

import org.apache.spark.sql.catalyst.analysis.TempResolvedColumn
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  LateralColumnAliasReference,
  OuterReference
}
import org.apache.spark.sql.catalyst.plans.logical.{
  AnalysisHelper,
  CTERelationDef,
  CTERelationRef,
  LogicalPlan
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.clock.RunningQuery
import tidegate.columns.{CurrentWatermark, EventTimeTag, IsLate, WatermarkSource}
import tidegate.errors.FunctionErrors
import tidegate.plans.KeyedWatermark
import tidegate.preparation.NameNodes

/** Finds out which watermark `current_watermark` and `is_late` refer to. */
object ResolveWatermarkFunctions extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case p if p.childrenResolved =>
      p.transformExpressions {
        case c: WatermarkCall if c.child.resolved =>
          CurrentOrigin.withOrigin(c.child.origin)(new Lookup(p, plan).resolve(c))
      }
  }
}

/**
 * @param plan
 *   the node with the call
 * @param whole
 *   the plan that it is in, for common table expressions
 */
private[tidegate] final class Lookup(plan: LogicalPlan, whole: LogicalPlan) {

  def resolve(call: WatermarkCall): Expression = call match {
    case CurrentWatermarkCall(e) if columnOf(e).isDefined =>
      val column = columnOf(e).get
      CurrentWatermark(column.name, ofColumn(CurrentWatermarkCall.Name, column))
    case CurrentWatermarkCall(e) =>
      val name = WatermarkFunctions.text(e).getOrElse {
        throw FunctionErrors.watermarkNameNeeded(e.sql)
      }
      CurrentWatermark(name, ofName(name))
    case IsLateCall(e) =>
      if (!EventTimeTag.isTime(e) && !EventTimeTag.isWindow(e.dataType)) {
        throw FunctionErrors.isLateNotTime(e.sql, e.dataType)
      }
      val column = columnOf(e).getOrElse(throw FunctionErrors.isLateComputed(e.sql))
      IsLate(e, EventTimeTag.closesWindow(column), ofColumn(IsLateCall.Name, column))
  }

  /**
   * A column, also in the forms that Spark uses in HAVING, for an alias in the same list, or in a
   * subquery.
   */
  private def columnOf(e: Expression): Option[Attribute] = e match {
    case a: Attribute                   => Some(a)
    case t: TempResolvedColumn          => columnOf(t.child)
    case l: LateralColumnAliasReference => Some(l.a)
    case o: OuterReference              => Some(o.toAttribute)
    case _                              => None
  }

  private def ofColumn(function: String, column: Attribute): WatermarkSource = {
    // A reference may have outdated metadata.
    val key = plan.children
      .flatMap(_.output)
      .find(_.exprId == column.exprId)
      .orElse(Some(column))
      .flatMap(EventTimeTag.key)
    if (key.isEmpty && isInQuery) {
      throw FunctionErrors.columnWithoutWatermark(function, column.name)
    }
    WatermarkSource(None, key)
  }

  private def ofName(name: String): WatermarkSource = {
    val streams = plan.children.filter(_.isStreaming).flatMap(c => nodesOf(NameNodes(inlined(c))))
    // A batch has no watermarks of its own, so the watermarks of its query are used, with their
    // final names.
    val ofBatch =
      if (plan.children.forall(_.isStreaming)) Nil else running.toSeq.flatMap(_.nodes)
    val columns = plan.children.flatMap(_.output).filter(EventTimeTag.key(_).isDefined)
    // Columns come first: a watermark is named after its column by default, and several may have
    // the same name.
    columns.find(_.name.equalsIgnoreCase(name)) match {
      case Some(column) => WatermarkSource(None, EventTimeTag.key(column))
      case None         =>
        // In a stream the final names are not known yet.
        val found = NameNodes.find(streams, name).map(_ => name)
        val source = found.orElse(NameNodes.find(ofBatch, name).map(_.name))
        if (isInQuery && source.isEmpty) {
          val known = (streams ++ ofBatch).map(_.spec.name) ++ columns.map(_.name)
          throw FunctionErrors.unknownWatermark(name, known.distinct)
        }
        WatermarkSource(source.orElse(Some(name)), None)
    }
  }

  private def nodesOf(plan: LogicalPlan): Seq[KeyedWatermark] =
    plan.collect { case k: KeyedWatermark => k }

  /** Names are looked up behind references to common table expressions too. */
  private def inlined(child: LogicalPlan): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      child.transformUp { case r: CTERelationRef =>
        whole
          .collectFirst { case d: CTERelationDef if d.id == r.cteId => inlined(d.child) }
          .getOrElse(r)
      }
    }

  /** Otherwise the input is batch data, which has no watermark, so any name is accepted. */
  private def isInQuery: Boolean =
    plan.children.exists(_.isStreaming) || running.isDefined

  private def running: Option[RunningQuery] = RunningQuery.active
}
