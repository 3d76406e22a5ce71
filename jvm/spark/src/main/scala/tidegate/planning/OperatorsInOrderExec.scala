package tidegate.planning

import java.util.IdentityHashMap

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.rules.{RuleId, UnknownRuleId}
import org.apache.spark.sql.catalyst.trees.TreePatternBits
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.StateStoreWriter
import tidegate.errors.OperatorErrors
import tidegate.execution.{DescribesItself, FindDropLate}
import tidegate.own.OwnOperatorExec

/**
 * Lets Spark number the states of a query's operators so that each operator gets the number that it
 * has in the checkpoint, wherever it stands now.
 *
 * Spark gives out numbers while it walks down the plan, from 0 on. So below this node, the walk
 * comes to the stateful operators in the order of their numbers, before all other nodes. The node
 * is gone once Spark has numbered them.
 *
 * @param numbers
 *   the number of each operator, by its name. An operator without a name takes the next number that
 *   is free
 * @param isNumbered
 *   whether Spark has numbered the states already, in the order of the plan
 */
final case class OperatorsInOrderExec(
    numbers: Map[String, Long],
    isNumbered: Boolean,
    child: SparkPlan
) extends UnaryExecNode
    with DescribesItself {

  override def output: Seq[Attribute] = child.output

  override def transformDownWithPruning(
      cond: TreePatternBits => Boolean,
      ruleId: RuleId = UnknownRuleId
  )(rule: PartialFunction[SparkPlan, SparkPlan]): SparkPlan = {
    val changed = new IdentityHashMap[SparkPlan, SparkPlan]
    inOrder.foreach(o => changed.put(o, rule.applyOrElse(o, identity[SparkPlan])))
    super.transformDownWithPruning(cond, ruleId) {
      case node if changed.containsKey(node) => changed.remove(node)
      case node if rule.isDefinedAt(node)    => rule(node)
    }
  }

  private def inOrder: Seq[SparkPlan] = {
    val inPlan = child.collect { case o: StateStoreWriter if !o.isInstanceOf[OwnOperatorExec] => o }
    val known = inPlan.map(o => FindDropLate.owner(o).flatMap(owner => numbers.get(owner.name)))
    val free = Iterator.iterate(0L)(_ + 1L).filterNot(known.flatten.toSet)
    val numbered = inPlan.zip(known.map(_.getOrElse(free.next())))
    val sorted = numbered.sortBy(_._2).map(_._1)
    if (isNumbered && !sorted.corresponds(inPlan)(_ eq _))
      throw OperatorErrors.numberedOtherwise(inPlan.map(nameOf), sorted.map(nameOf))
    sorted
  }

  private def nameOf(operator: SparkPlan): String =
    FindDropLate.owner(operator).fold(operator.nodeName)(_.name)

  override def describe: String =
    numbers.toSeq.sortBy(_._2).map { case (name, number) => s"$name=$number" }.mkString(", ")

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): OperatorsInOrderExec =
    copy(child = newChild)
}
