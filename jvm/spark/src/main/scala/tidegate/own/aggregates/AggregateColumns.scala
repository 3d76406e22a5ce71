package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.tidegate.SparkInternals

/**
 * The keys and the functions of an aggregation as columns of an operator of Tidegate, and what the
 * aggregation makes of them.
 *
 * A constant key is no column: it divides no rows, and stays where it is in the results. Spark's
 * optimizer removes it too, so no state has it.
 *
 * @param grouping
 *   the keys beside the window
 */
private[own] final class AggregateColumns(of: Aggregate, grouping: Seq[Expression]) {
  private val keys: Seq[(Expression, NamedExpression)] = grouping.filterNot(_.foldable).map {
    case column: Attribute => column -> column
    case key               => key -> Alias(key, nameOf(key))()
  }
  private val functions: Seq[(AggregateExpression, Alias)] =
    of.aggregateExpressions
      .flatMap(_.collect { case e: AggregateExpression => e })
      .foldLeft(Seq.empty[AggregateExpression]) { (all, e) =>
        if (all.exists(_ eq e)) all else all :+ e
      }
      .map(f => f -> Alias(f, f.sql)())
  private val columns = keys ++ functions

  /** Keys that have to be computed below: Spark would give them names of its own. */
  val computed: Seq[Alias] = keys.collect { case (_, name: Alias) => name }

  /** All keys, from the output of what is below. */
  val names: Seq[Attribute] = keys.map(_._2.toAttribute)

  /** What the aggregation below gives. */
  val aggregated: Seq[NamedExpression] = names ++ functions.map(_._2)

  /**
   * A result of the aggregation, over these columns.
   *
   * @param window
   *   what is made of columns that depend on the window
   */
  def result(e: NamedExpression)(window: PartialFunction[Attribute, Expression]): NamedExpression =
    over(e, window) match {
      case same: Attribute if same.exprId == e.exprId => same.withMetadata(e.metadata)
      case Alias(child, _)                            => named(child, e)
      case other                                      => named(other, e)
    }

  /** Does not look into what takes the place of a window: nothing in there stands for a key. */
  private def over(e: Expression, window: PartialFunction[Attribute, Expression]): Expression =
    column(e).getOrElse(e match {
      case a: Attribute => window.applyOrElse(a, identity[Attribute])
      case other        => other.mapChildren(over(_, window))
    })

  private def column(e: Expression): Option[Attribute] =
    columns.collectFirst { case (definition, name) if equal(definition, e) => name.toAttribute }

  /**
   * Spark computes all nondeterministic keys below, but for the time of the batch, which is the
   * same wherever the query has it. Nondeterministic functions such as `first` equal only
   * themselves.
   */
  private def equal(definition: Expression, e: Expression): Boolean = definition match {
    case f: AggregateExpression => (f eq e) || f.semanticEquals(e)
    case key                    => key.canonicalized == e.canonicalized
  }

  /** The name that the query gives the key: readers of the state find the key by it. */
  private def nameOf(key: Expression): String =
    of.aggregateExpressions
      .collectFirst { case Alias(child, name) if equal(key, child) => name }
      .getOrElse(toPrettySQL(key))

  private def named(child: Expression, as: NamedExpression): Alias =
    Alias(child, as.name)(as.exprId, as.qualifier, Some(as.metadata))
}

private[tidegate] object AggregateColumns {

  /**
   * Why the functions of an aggregation cannot be merged from parts.
   *
   * @param touches
   *   whether a function depends on what our operator adds
   * @param how
   *   how such a function is called in the reason
   */
  def refused(a: Aggregate)(touches: Expression => Boolean, how: String): Option[String] =
    a.aggregateExpressions.flatMap(_.collect { case e: AggregateExpression => e }).collectFirst {
      case e if e.isDistinct => s"${e.sql} is distinct, and cannot be merged"
      case e if touches(e)   => s"${e.sql} $how"
      case e if e.aggregateFunction.isInstanceOf[PythonUDAF] => s"${e.sql} is a Python function"
    }

  /**
   * Why keys keep an operator Spark's: one is an interval, or has one inside. Spark leaves stale
   * bytes behind a NULL interval, so equal keys can differ byte for byte.
   */
  def intervalIn(keys: Seq[Expression]): Option[String] =
    keys.find(key => SparkInternals.hasInterval(key.dataType)).map { key =>
      s"the key ${key.sql} is an interval, or has one inside"
    }

  /** The output of an aggregation of our own, with the projection above it, if that is plain. */
  object Results {
    def unapply(plan: LogicalPlan): Option[(Seq[NamedExpression], LogicalPlan)] = plan match {
      case Project(results, child) if results.forall(isPlain) => Some(results -> child)
      case other                                              => Some(other.output -> other)
    }

    /** Other expressions need preparation, which Spark does only in its own projections. */
    private def isPlain(e: Expression): Boolean = e.deterministic && !e.exists {
      case _: Attribute                                               => false
      case _: CodegenFallback | _: PlanExpression[_] | _: Unevaluable => true
      case _                                                          => false
    }
  }
}
