package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.{ParameterContext, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/**
 * Spark's parser. It parses a statement with parameters twice: to find the parameters in its text,
 * and to parse the text with their values.
 */
abstract class ParameterSqlParser extends SparkSqlParser {

  /**
   * Parses a statement that may have parameters.
   *
   * @param asSpark
   *   parses a text twice, and calls for a result the second time
   */
  protected def parseWithParameters[T](
      command: String,
      asSpark: (String, SqlBaseParser => T) => T
  )(toResult: SqlBaseParser => T): T

  override def parseWithParameters[T](command: String, parameterContext: ParameterContext)(
      toResult: SqlBaseParser => T
  ): T =
    parseWithParameters[T](
      command,
      (text, result) => super.parseWithParameters(text, parameterContext)(result)
    )(toResult)
}
