package tidegate.sql.parser

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** How a statement with parameters comes to a parser: without their values. */
object Parameters {
  def parse(parser: ParserInterface, sql: String, values: (String, Expression)*): LogicalPlan = {
    val _ = values
    parser.parsePlan(sql)
  }
}
