package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.{BatchFacts, DropLate, PreparedQuery}

/**
 * Notes what is true of the rows that go into the state of an operator, before the optimizer looks
 * at those of one batch.
 *
 * Columns that go into an operator of Spark's are as nullable as Spark finds them: Spark compares
 * them with those in the checkpoint.
 */
object KeepFacts extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.collectFirst { case p: PreparedQuery => p.decisions.own }.fold(plan) { own =>
      plan.transformUp { case drop: DropLate =>
        drop.copy(facts = BatchFacts.of(drop.child, withNullable = own(drop.owner.name)))
      }
    }
}
