package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A parser that chooses the actual parser for each text that may call functions, and leaves names,
 * types and schemas to `delegate`.
 */
trait DelegatingParser extends ParserInterface with LaterParsing {
  protected def delegate: ParserInterface

  /** Parses a statement, a query or an expression with the parser that it needs. */
  protected def parse[T](sqlText: String)(how: ParserInterface => T): T

  override def parsePlan(sqlText: String): LogicalPlan = parse(sqlText)(_.parsePlan(sqlText))

  override def parseQuery(sqlText: String): LogicalPlan = parse(sqlText)(_.parseQuery(sqlText))

  override def parseExpression(sqlText: String): Expression =
    parse(sqlText)(_.parseExpression(sqlText))

  override def parseTableIdentifier(sqlText: String): TableIdentifier =
    delegate.parseTableIdentifier(sqlText)

  override def parseFunctionIdentifier(sqlText: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(sqlText)

  override def parseMultipartIdentifier(sqlText: String): Seq[String] =
    delegate.parseMultipartIdentifier(sqlText)

  override def parseRoutineParam(sqlText: String): StructType =
    delegate.parseRoutineParam(sqlText)

  override def parseDataType(sqlText: String): DataType = delegate.parseDataType(sqlText)

  override def parseTableSchema(sqlText: String): StructType = delegate.parseTableSchema(sqlText)
}
