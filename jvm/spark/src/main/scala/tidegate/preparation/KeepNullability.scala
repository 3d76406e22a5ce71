package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.{DecidedQuery, DropLate, EmitsEarlierRows}

/**
 * Notes which columns are nullable, before the optimizer looks at the rows of one batch: of what
 * goes into a state of our own, and of what comes out.
 *
 * Columns that go into an operator of Spark's are as nullable as Spark finds them: Spark compares
 * them with those in the checkpoint.
 */
object KeepNullability extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val own =
      plan.collectFirst { case q: DecidedQuery => q.own.states.keySet }.getOrElse(Set.empty[String])
    plan.transformUp {
      case node: EmitsEarlierRows                          => node.noting
      case drop: DropLate if own.contains(drop.owner.name) => drop.noting
    }
  }
}
