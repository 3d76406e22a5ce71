package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What the parsers of version 4.0 cannot do. */
trait LaterParsing extends ParserInterface {
  protected def parse[T](sqlText: String)(how: ParserInterface => T): T

  override def parsePlanWithParameters(
      sqlText: String,
      parameterContext: ParameterContext
  ): LogicalPlan =
    parse(sqlText)(_.parsePlanWithParameters(sqlText, parameterContext))
}
