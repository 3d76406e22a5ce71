package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.TidegateErrors
import tidegate.plans._
import tidegate.sql.{SessionWindows, WindowFunctions}

/**
 * Puts Spark's session windows into the aggregations over `SESSION`: they are merged there, so the
 * aggregation groups by the session itself, and start, end and time are taken from it.
 */
object LowerSessions extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    // Also asked for plans that Spark is about to refuse.
    if (!plan.resolved || !plan.exists(_.isInstanceOf[SessionWindows])) plan
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        inlined(plan).transformUp { case a: Aggregate =>
          Sessions.below(a.child).fold[LogicalPlan](a)(new Lowering(a, _).result)
        }
      }

  /** A reference to a common table expression shows nothing of its plan. */
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
      if (windows.isEmpty) throw TidegateErrors.sessionNotGrouped()
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
          throw TidegateErrors.sessionKeys(wanted.map(_.name), keys.map(_.sql))
        }
      }
    }

    /** With the name and id that it had, which the plan above refers to. */
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
          .foreach(f => throw TidegateErrors.sessionColumnUsed(f.sql))
        other
          .transform { case a: Attribute if roleOf(a).isDefined => value(roleOf(a).get) }
          .asInstanceOf[NamedExpression]
    }

    private def value(role: WindowRole): Expression = role match {
      case WindowRole.Start => GetStructField(session, 0)
      case WindowRole.End   => GetStructField(session, 1)
      case WindowRole.Time  => WindowFunctions.shifted(GetStructField(session, 1), -1)
    }
  }
}

/** Refuses sessions that no aggregation merges. */
object CheckSessions extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan match {
    // A view may leave the aggregation to the query that reads it.
    case _: AnalysisOnlyCommand                 => ()
    case _ if RefreshViewColumns.isOfView(plan) => ()
    case _                                      =>
      plan.foreach {
        case s: SessionWindows =>
          CurrentOrigin.withOrigin(s.origin)(throw TidegateErrors.sessionWithoutAggregate())
        case _ => ()
      }
  }
}

/**
 * Sessions below an aggregation, with Spark's session window in the place of the three columns.
 *
 * @param columns
 *   what each column that stands for a part of the session was
 */
private[analysis] final case class Sessions(
    plan: LogicalPlan,
    session: Attribute,
    keys: Seq[Attribute],
    globalKey: Option[Attribute],
    columns: Map[ExprId, WindowRole]
) {

  def roleOf(a: Attribute): Option[WindowRole] = columns.get(a.exprId)

  def uses(e: Expression): Boolean = e.references.exists(a => columns.contains(a.exprId))
}

private[analysis] object Sessions {

  /** Through filters and projections; `None` if there are none. */
  def below(plan: LogicalPlan): Option[Sessions] = plan match {
    case s: SessionWindows =>
      val roles = s.columns.flatMap(a => WindowMark.of(a).map(m => a.exprId -> m.role)).toMap
      Some(Sessions(s.child, s.session, s.keys, s.globalKey, roles))
    case f: Filter =>
      below(f.child).map { sessions =>
        if (sessions.uses(f.condition)) {
          CurrentOrigin.withOrigin(f.condition.origin) {
            throw TidegateErrors.sessionFiltered(f.condition.sql)
          }
        }
        sessions.copy(plan = f.copy(child = sessions.plan))
      }
    case a: SubqueryAlias => below(a.child).map(s => s.copy(plan = a.copy(child = s.plan)))
    case v: View          => below(v.child)
    case p: Project       => below(p.child).map(projected(p, _))
    case _                => None
  }

  private def projected(project: Project, sessions: Sessions): Sessions = {
    val (windows, others) = project.projectList.partition(sessions.uses)
    val columns = windows.map {
      case a: Attribute                   => a.exprId -> sessions.columns(a.exprId)
      case alias @ Alias(a: Attribute, _) => alias.exprId -> sessions.columns(a.exprId)
      case other                          =>
        CurrentOrigin.withOrigin(other.origin)(throw TidegateErrors.sessionColumnUsed(other.sql))
    }
    val keys = sessions.keys.map { key =>
      val renamed = others.collectFirst {
        case a @ Alias(k: Attribute, _) if k.exprId == key.exprId => a.toAttribute
      }
      if (others.exists(_.exprId == key.exprId)) key else renamed.getOrElse(key)
    }
    val passed = (sessions.session +: (keys ++ sessions.globalKey))
      .filterNot(k => others.exists(_.exprId == k.exprId))
    sessions.copy(
      keys = keys,
      plan = Project(others ++ passed, sessions.plan),
      columns = columns.toMap
    )
  }
}
