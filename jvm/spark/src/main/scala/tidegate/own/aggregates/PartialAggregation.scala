package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.AggUtils
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.columns.GlobalKey

/**
 * Spark's own partial aggregation by keys and frame, before the shuffle.
 *
 * @param columns
 *   what the logical aggregation makes of keys, frame and the results of the functions
 */
private[tidegate] final case class PartialAggregation(
    keys: Seq[NamedExpression],
    frame: Attribute,
    functions: Seq[AggregateExpression],
    columns: Seq[NamedExpression],
    child: LogicalPlan
) {

  /** The expressions of the columns that are more than a key or the frame. */
  val definitions: AttributeMap[Expression] =
    AttributeMap(columns.collect { case a: Alias => a.toAttribute -> a.child })

  /**
   * The keys of the state. Rows of earlier batches may have NULL where those of this one cannot.
   */
  val stateKeys: Seq[Attribute] = keys.map {
    case key @ Alias(_: GlobalKey, _) => key.toAttribute
    case key                          => key.toAttribute.withNullability(true)
  }

  /** Emits keys, frame, and the buffers of all functions. */
  def over(rows: SparkPlan): SparkPlan =
    AggUtils
      .planAggregateWithoutDistinct(keys :+ frame, functions, columns, rows)
      .head
      .children
      .head

  /** What an operator computes that has this output. */
  def aggregates(start: Attribute, output: Seq[NamedExpression]): FrameAggregates =
    FrameAggregates(stateKeys, start, functions, results(output))

  /** The output of an operator, over keys and the results of the functions. */
  def results(output: Seq[NamedExpression]): Seq[NamedExpression] = output.map {
    case a: Attribute if definitions.contains(a) => Alias(definitions(a), a.name)(a.exprId)
    case e                                       =>
      e.transform { case a: Attribute => definitions.getOrElse(a, a) }
        .asInstanceOf[NamedExpression]
  }
}

private[tidegate] object PartialAggregation {

  /** @param aggregate a logical aggregation by keys and frame */
  def apply(aggregate: LogicalPlan, frame: Attribute): PartialAggregation = {
    val (grouping, functions, columns, child) = PhysicalAggregation.unapply(aggregate).get
    val keys = keysOf(grouping.filterNot(_.exprId == frame.exprId))
    PartialAggregation(keys, frame, functions, columns, child)
  }

  /** Normalizes keys as Spark does for its own state; without keys, one key stands for all rows. */
  private def keysOf(grouping: Seq[NamedExpression]): Seq[NamedExpression] =
    if (grouping.isEmpty) Seq(Alias(GlobalKey(), "all_rows")())
    else
      grouping.map { key =>
        SparkInternals.normalized(key) match {
          case named: NamedExpression => named
          case other                  => Alias(other, key.name)(exprId = key.exprId)
        }
      }
}
