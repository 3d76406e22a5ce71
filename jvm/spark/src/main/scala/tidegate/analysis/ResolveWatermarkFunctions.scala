package tidegate.analysis

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
import tidegate.plans._
import tidegate.sql._
import tidegate.{KeyedWatermarks, TidegateErrors}

/** Looks up whose watermark `current_watermark` and `is_late` mean. */
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
private final class Lookup(plan: LogicalPlan, whole: LogicalPlan) {

  def resolve(call: WatermarkCall): Expression = call match {
    case CurrentWatermarkCall(e) if columnOf(e).isDefined =>
      val column = columnOf(e).get
      CurrentWatermark(column.name, ofColumn(CurrentWatermarkCall.Name, column))
    case CurrentWatermarkCall(e) =>
      val name = WatermarkFunctions.text(e).getOrElse {
        throw TidegateErrors.watermarkNameNeeded(e.sql)
      }
      CurrentWatermark(name, ofName(name))
    case IsLateCall(e) =>
      if (!KeyedWatermarks.isTime(e) && !EventTimeTag.isWindow(e.dataType)) {
        throw TidegateErrors.isLateNotTime(e.sql, e.dataType)
      }
      val column = columnOf(e).getOrElse(throw TidegateErrors.isLateComputed(e.sql))
      IsLate(e, EventTimeTag.closesWindow(column), ofColumn(IsLateCall.Name, column))
  }

  /** A column, also as Spark refers to it in HAVING, to an alias beside it, or from a subquery. */
  private def columnOf(e: Expression): Option[Attribute] = e match {
    case a: Attribute                   => Some(a)
    case t: TempResolvedColumn          => columnOf(t.child)
    case l: LateralColumnAliasReference => Some(l.a)
    case o: OuterReference              => Some(o.toAttribute)
    case _                              => None
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
    // A column first: watermarks are named after theirs, and may be several of one name.
    columns.find(_.name.equalsIgnoreCase(name)) match {
      case Some(column) => WatermarkSource(None, EventTimeTag.key(column))
      case None if isInQuery && !nodes.contains(name) =>
        throw TidegateErrors.unknownWatermark(name, (nodes ++ columns.map(_.name)).distinct)
      case None => WatermarkSource(Some(name), None)
    }
  }

  /** The names of the watermarks below, as they will be numbered; in a batch all of its query. */
  private def nodesOf(child: LogicalPlan): Seq[String] =
    if (child.isStreaming) NameNodes(inlined(child)).collect { case k: KeyedWatermark =>
      k.spec.name
    }
    else running.toSeq.flatMap(_.nodes.map(_.spec.name))

  /** Names are looked up behind references to common table expressions too. */
  private def inlined(child: LogicalPlan): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      child.transformUp { case r: CTERelationRef =>
        whole
          .collectFirst { case d: CTERelationDef if d.id == r.cteId => inlined(d.child) }
          .getOrElse(r)
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
          throw TidegateErrors.unknownWatermark(name, nodes(whole))
        }))
      case WatermarkSource(_, Some(key), _) =>
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
