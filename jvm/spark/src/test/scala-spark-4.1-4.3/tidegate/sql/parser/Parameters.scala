package tidegate.sql.parser

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{NamedParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** How a statement with parameters comes to a parser: with their values. */
object Parameters {
  def parse(parser: ParserInterface, sql: String, values: (String, Expression)*): LogicalPlan =
    parser.parsePlanWithParameters(sql, NamedParameterContext(values.toMap))
}
