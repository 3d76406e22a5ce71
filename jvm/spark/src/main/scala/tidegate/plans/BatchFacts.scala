package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{ExprId, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}

/**
 * What the optimizer may know of rows that go into a state: what is true of the rows of each batch.
 * Where a branch of a union has no rows in a batch, Spark leaves it out, and takes what is true of
 * the other branches for true of all rows. It would rewrite functions and conditions, and infer
 * filters, that are wrong for the rows of earlier batches in the state; or leave out columns that
 * these rows have.
 *
 * Not a case class: as an argument of a node, its expressions are none of the node's.
 *
 * @param nullable
 *   the columns that may have NULL
 * @param constraints
 *   the predicates that hold for each row
 */
final class BatchFacts(val nullable: Set[ExprId], val constraints: ExpressionSet)

object BatchFacts {

  /**
   * What is known of a plan before it is optimized; `None` if the optimizer can find no more in one
   * batch than in another.
   *
   * @param withNullable
   *   whether columns stay nullable
   */
  def of(plan: LogicalPlan, withNullable: Boolean): Option[BatchFacts] =
    Option.when(plan.exists(_.isInstanceOf[Union])) {
      val nullable = if (withNullable) plan.output.filter(_.nullable) else Nil
      new BatchFacts(nullable.map(_.exprId).toSet, plan.constraints)
    }
}
