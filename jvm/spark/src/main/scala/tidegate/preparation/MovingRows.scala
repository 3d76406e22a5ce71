package tidegate.preparation

import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, EliminateView}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.rules.{Rule, RuleExecutor}
import tidegate.plans.{KeyedWatermark, NamedOperator}

/**
 * Ignores the rows that Spark's optimizer would filter out below its own watermark.
 *
 * Spark's optimizer moves a filter below `withWatermark`, unless the filter reads the time, so a
 * row that the filter removes does not move the watermark. The filter stays above a keyed
 * watermark, as moving it would change the schema of a state that is continued; but the keyed
 * watermark takes no notice of such a row either.
 *
 * A predicate that calls Python or has a subquery is left out: a watermark cannot compute either.
 */
private[preparation] object MovingRows extends PredicateHelper {

  /** @param isMeant the watermarks that move as Spark's */
  def apply(plan: LogicalPlan, isMeant: KeyedWatermark => Boolean): LogicalPlan = {
    val above = PushToWatermarks
      .execute(withStandIns(plan))
      .collect { case Filter(condition, s: StandIn) => s.number -> condition }
      .toMap
    numbered(plan) { (watermark, number) =>
      val moved = above.get(number).filter(_ => isMeant(watermark))
      watermark.copy(movedBy = moved.flatMap(belowSpark(watermark, _)))
    }
  }

  private def belowSpark(watermark: KeyedWatermark, condition: Expression): Option[Expression] =
    splitConjunctivePredicates(condition)
      .filter { p =>
        p.deterministic && !p.references.contains(watermark.eventTime) && isComputable(p)
      }
      .reduceLeftOption(And(_, _))

  private def isComputable(predicate: Expression): Boolean = !predicate.exists {
    case _: PythonUDF | _: SubqueryExpression => true
    case _                                    => false
  }

  private def withStandIns(plan: LogicalPlan): LogicalPlan =
    numbered(plan)((watermark, number) => StandIn(watermark.left, watermark.output, number))
      .transformUp { case n: NamedOperator => n.child }

  /**
   * Replaces each watermark; copies of one, as in a union of a stream with itself, have numbers of
   * their own.
   */
  private def numbered(plan: LogicalPlan)(
      replaced: (KeyedWatermark, Int) => LogicalPlan
  ): LogicalPlan = {
    val numbers = Iterator.from(0)
    plan.transformDown { case k: KeyedWatermark => replaced(k, numbers.next()) }
  }

  /**
   * Stops what Spark moves down; what holds for the rows holds above too, as with Spark's
   * watermark.
   */
  private final case class StandIn(child: LogicalPlan, output: Seq[Attribute], number: Int)
      extends UnaryNode {
    override protected lazy val validConstraints: ExpressionSet = child.constraints
    override protected def withNewChildInternal(newChild: LogicalPlan): StandIn =
      copy(child = newChild)
  }

  /** Those of Spark's rules that bring predicates to a watermark. */
  private object PushToWatermarks extends RuleExecutor[LogicalPlan] {
    private val rules: Seq[Rule[LogicalPlan]] = Seq(
      PushDownPredicates,
      EliminateOuterJoin,
      PushExtraPredicateThroughJoin,
      InferFiltersFromConstraints,
      BooleanSimplification
    )

    override protected val batches: Seq[Batch] = Seq(
      Batch("Without names", Once, EliminateSubqueryAliases, EliminateView),
      Batch("Push filters", FixedPoint(100), rules: _*)
    )
  }
}
