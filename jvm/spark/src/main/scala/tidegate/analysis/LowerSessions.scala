package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.columns.{WindowRole, WindowTimes}
import tidegate.errors.SessionErrors
import tidegate.plans.SessionWindows

/**
 * Puts Spark's session windows into the aggregations over `SESSION`: sessions are merged there, so
 * the aggregation groups by the session itself, and start, end and time are taken from it.
 */
object LowerSessions extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    // The rule also sees plans that Spark is about to refuse.
    if (!plan.resolved || !plan.exists(_.isInstanceOf[SessionWindows])) plan
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        inlined(plan).transformUp { case a: Aggregate =>
          Sessions.below(a.child).fold[LogicalPlan](a)(new Lowering(a, _).result)
        }
      }

  /** Inlines common table expressions, because a reference hides the plan. */
  private def inlined(plan: LogicalPlan): LogicalPlan = {
    val isInCte = plan.exists {
      case d: CTERelationDef => d.exists(_.isInstanceOf[SessionWindows])
      case _                 => false
    }
    if (isInCte) InlineCTE(alwaysInline = true)(plan) else plan
  }

  private final class Lowering(aggregate: Aggregate, sessions: Sessions) {
    import sessions.{roleOf, session}

    def result: LogicalPlan = {
      val (windows, keys) = aggregate.groupingExpressions.partition(isColumn)
      if (windows.isEmpty) throw SessionErrors.sessionNotGrouped()
      checkKeys(keys)
      aggregate.copy(
        groupingExpressions = keys ++ sessions.globalKey :+ session,
        aggregateExpressions = aggregate.aggregateExpressions.map(output),
        child = sessions.plan
      )
    }

    private def windowOf(a: Aggregate): Expression = a.groupingExpressions.find(isColumn).get

    private def isColumn(e: Expression): Boolean = e match {
      case a: Attribute => roleOf(a).isDefined
      case _            => false
    }

    private def checkKeys(keys: Seq[Expression]): Unit = {
      val wanted = sessions.keys
      val isSame = wanted.forall(k => keys.exists(_.semanticEquals(k))) &&
        keys.forall(k => wanted.exists(_.semanticEquals(k)))
      if (!isSame) {
        CurrentOrigin.withOrigin(keys.headOption.getOrElse(windowOf(aggregate)).origin) {
          throw SessionErrors.sessionKeys(wanted.map(_.name), keys.map(_.sql))
        }
      }
    }

    /** Keeps the name and id of the column, because the plan above refers to them. */
    private def output(e: NamedExpression): NamedExpression = e match {
      case a: Attribute if roleOf(a).isDefined =>
        Alias(value(roleOf(a).get), a.name)(a.exprId, a.qualifier, Some(a.metadata))
      case alias @ Alias(a: Attribute, _) if roleOf(a).isDefined =>
        val metadata = alias.explicitMetadata.getOrElse(a.metadata)
        alias.copy(child = value(roleOf(a).get))(
          alias.exprId,
          alias.qualifier,
          Some(metadata),
          alias.nonInheritableMetadataKeys
        )
      case other =>
        other
          .collectFirst { case f: AggregateExpression if f.references.exists(isColumn) => f }
          .foreach(f => throw SessionErrors.sessionColumnUsed(f.sql))
        other
          .transform { case a: Attribute if roleOf(a).isDefined => value(roleOf(a).get) }
          .asInstanceOf[NamedExpression]
    }

    private def value(role: WindowRole): Expression = role match {
      case WindowRole.Start => GetStructField(session, 0)
      case WindowRole.End   => GetStructField(session, 1)
      case WindowRole.Time  => WindowTimes.shifted(GetStructField(session, 1), -1)
    }
  }
}
