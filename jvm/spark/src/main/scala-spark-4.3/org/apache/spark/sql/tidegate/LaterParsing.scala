package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.{
  ParameterContext,
  ParserInterface,
  SqlStatementSplitResult
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What the parsers of earlier versions cannot do. */
trait LaterParsing extends ParserInterface {
  protected def delegate: ParserInterface
  protected def parse[T](sqlText: String)(how: ParserInterface => T): T

  override def parsePlanWithParameters(
      sqlText: String,
      parameterContext: ParameterContext
  ): LogicalPlan =
    parse(sqlText)(_.parsePlanWithParameters(sqlText, parameterContext))

  override def splitStatements(sqlText: String): SqlStatementSplitResult =
    delegate.splitStatements(sqlText)
}
