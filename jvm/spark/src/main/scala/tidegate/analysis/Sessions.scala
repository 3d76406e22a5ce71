package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.columns.{WindowMark, WindowRole}
import tidegate.errors.SessionErrors
import tidegate.plans.{NamedOperator, SessionWindows}

/**
 * Sessions below an aggregation, with Spark's session window instead of our three columns.
 *
 * @param columns
 *   which part of the session each column stands for
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

  /** Looks through filters and projections; `None` if there are no sessions. */
  def below(plan: LogicalPlan): Option[Sessions] = plan match {
    case s: SessionWindows =>
      val roles = s.columns.flatMap(a => WindowMark.of(a).map(m => a.exprId -> m.role)).toMap
      Some(Sessions(s.child, s.session, s.keys, s.globalKey, roles))
    case f: Filter =>
      below(f.child).map { sessions =>
        if (sessions.uses(f.condition)) {
          CurrentOrigin.withOrigin(f.condition.origin) {
            throw SessionErrors.sessionFiltered(f.condition.sql)
          }
        }
        sessions.copy(plan = f.copy(child = sessions.plan))
      }
    case a: SubqueryAlias => below(a.child).map(s => s.copy(plan = a.copy(child = s.plan)))
    case n: NamedOperator => below(n.child).map(s => s.copy(plan = n.copy(child = s.plan)))
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
        CurrentOrigin.withOrigin(other.origin)(throw SessionErrors.sessionColumnUsed(other.sql))
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
