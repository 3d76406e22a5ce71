package tidegate.sources

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import tidegate.plans.ColumnOrigin

/**
 * Lets Kafka's topic and partition travel beside the columns of a plan, also if its projections
 * have left them out.
 */
private[tidegate] object CarryPartitions {
  private val Columns = Seq("topic", "partition")

  /**
   * The plan with the topic and the partition of each row among its columns, which columns they
   * are, and no other change. `None` if some rows are not Kafka's, or if they were made anew on the
   * way, by a typed function or an operator with state.
   */
  def apply(plan: LogicalPlan): Option[(LogicalPlan, Seq[Attribute])] = plan match {
    case r: StreamingRelationV2 if ColumnOrigin.isKafka(r) =>
      val columns = Columns.flatMap(name => r.output.find(_.name == name))
      Option.when(columns.size == Columns.size)(r -> columns)
    case p: Project =>
      apply(p.child).map { case (child, columns) =>
        val missing = columns.filterNot(p.outputSet.contains)
        p.copy(projectList = p.projectList ++ missing, child = child) -> columns
      }
    case g: Generate =>
      apply(g.child).map { case (child, columns) =>
        // A generator leaves columns out by their places, and the new ones come last.
        val dropped = columns.map(c => child.output.indexWhere(_.exprId == c.exprId)).toSet
        g.copy(
          child = child,
          unrequiredChildIndex = g.unrequiredChildIndex.filterNot(dropped.contains)
        ) -> columns
      }
    case u: Union => union(u)
    case _: Filter | _: SubqueryAlias | _: View | _: RepartitionOperation | _: ResolvedHint |
        _: CollectMetrics =>
      apply(plan.children.head).map { case (child, columns) =>
        plan.withNewChildren(Seq(child)) -> columns
      }
    case _ => None
  }

  /** A union matches columns by their places: in each branch the two come last. */
  private def union(u: Union): Option[(LogicalPlan, Seq[Attribute])] = {
    val branches = u.children.flatMap { branch =>
      apply(branch).map { case (carried, columns) =>
        Project(branch.output ++ columns.map(c => Alias(c, c.name)()), carried)
      }
    }
    Option.when(branches.size == u.children.size) {
      val carried = u.copy(children = branches)
      carried -> carried.output.takeRight(Columns.size)
    }
  }
}
