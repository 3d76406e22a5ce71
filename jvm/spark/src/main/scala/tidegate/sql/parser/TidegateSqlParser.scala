package tidegate.sql.parser

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Parses statements that call a table function of Tidegate, such as `TUMBLE(TABLE t,
 * DESCRIPTOR(ts), 5 seconds)`. All others go to `delegate` unchanged, so that their plans,
 * positions and errors stay the same, and so do the statements of other extensions.
 */
final class TidegateSqlParser(delegate: ParserInterface) extends ParserInterface {
  private val own = new EventTimeSqlParser

  override def parsePlan(sqlText: String): LogicalPlan = parserOf(sqlText).parsePlan(sqlText)

  override def parsePlanWithParameters(
      sqlText: String,
      parameterContext: ParameterContext
  ): LogicalPlan =
    parserOf(sqlText).parsePlanWithParameters(sqlText, parameterContext)

  override def parseQuery(sqlText: String): LogicalPlan = parserOf(sqlText).parseQuery(sqlText)

  override def parseExpression(sqlText: String): Expression =
    parserOf(sqlText).parseExpression(sqlText)

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

  private def parserOf(sqlText: String): ParserInterface =
    if (own.hasCall(sqlText)) own else delegate
}
