package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.{And, Expression, IsNotNull}
import org.apache.spark.sql.tidegate.StreamingSymmetricHashJoinExec

/**
 * Rows with a NULL in an equality key of a stream join: they have no partner.
 *
 * Spark's operator looks for partners by the bytes of the key, and so finds NULL for NULL. Before
 * most joins the optimizer has removed such rows, but not before a full outer join, and not where a
 * key is an expression such as `coalesce(a, b)`. Of a null-safe equality (`<=>`) Spark makes keys
 * that are never NULL.
 */
private[tidegate] object NullKeys {

  /**
   * The join with the condition that no key is NULL. A row that fails it does not reach the state;
   * an outer join emits the row at once.
   */
  def excluded(join: StreamingSymmetricHashJoinExec): StreamingSymmetricHashJoinExec = {
    val condition = join.condition
    join.copy(condition =
      condition.copy(
        leftSideOnly = withKeys(condition.leftSideOnly, join.leftKeys),
        rightSideOnly = withKeys(condition.rightSideOnly, join.rightKeys)
      )
    )
  }

  private def withKeys(condition: Option[Expression], keys: Seq[Expression]): Option[Expression] =
    (condition.toSeq ++ keys.filter(_.nullable).map(IsNotNull(_))).reduceOption(And(_, _))
}
