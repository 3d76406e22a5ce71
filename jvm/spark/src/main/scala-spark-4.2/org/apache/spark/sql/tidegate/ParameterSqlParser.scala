package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.{ParameterContext, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/**
 * Spark's parser, which parses a statement with parameters twice: first to find the parameters, and
 * then with their values in the text.
 */
abstract class ParameterSqlParser extends SparkSqlParser {

  /**
   * Parses a statement that may have parameter markers.
   *
   * @param asSpark
   *   parses a text twice, and asks for the result in the second pass
   */
  protected def parseMarked[T](
      command: String,
      asSpark: (String, SqlBaseParser => T) => T
  )(toResult: SqlBaseParser => T): T

  override def parseWithParameters[T](command: String, parameterContext: ParameterContext)(
      toResult: SqlBaseParser => T
  ): T =
    parseMarked[T](
      command,
      (text, result) => super.parseWithParameters(text, parameterContext)(result)
    )(toResult)
}
