package tidegate.sql.parser

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite
import tidegate.AtNight
import tidegate.sql.EventTimeCall

/** Parses with Spark's parser and with ours. */
abstract class ParserTest extends AnyFunSuite with AtNight {
  protected val spark: SparkSqlParser = new SparkSqlParser
  protected val parser: TidegateSqlParser = new TidegateSqlParser(spark)

  /** Every call in a plan, also in those of its expressions and commands. */
  protected def calls(plan: LogicalPlan): Seq[EventTimeCall] = {
    def in(value: Any): Seq[EventTimeCall] = value match {
      case c: EventTimeCall => c +: inParts(c)
      case n: TreeNode[_]   => inParts(n)
      case i: Iterable[_]   => i.toSeq.flatMap(in)
      case p: Product       => inParts(p)
      case _                => Nil
    }
    def inParts(p: Product) = p.productIterator.toSeq.flatMap(in)
    in(plan)
  }

  protected def theCall(plan: LogicalPlan): EventTimeCall = {
    val found = calls(plan)
    assert(found.size === 1)
    found.head
  }

  /** The text that the position of a node or expression marks. */
  protected def fragment(node: TreeNode[_]): String = node.origin.context.fragment

  protected def value(argument: Expression): Expression = argument match {
    case NamedArgumentExpression(_, value) => value
    case other                             => other
  }

  protected def assertSame(sql: String, canonical: String): Unit =
    assert(TreeText.of(parser.parsePlan(sql)) === TreeText.of(parser.parsePlan(canonical)), sql)
}
