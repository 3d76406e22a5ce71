package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.{ParameterContext, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/**
 * Spark's parser, which parses a statement with parameters twice: first to find the parameters, and
 * then with their values in the text.
 *
 * To find parameters, Spark parses the text an extra time, before we have access to the tokens. So
 * if a text may have parameters, the text itself is rewritten, and positions in it are mapped back.
 */
private[parser] abstract class ParameterSqlParser extends SparkSqlParser {
  protected def tokens(sqlText: String): SqlTokens

  override def parseWithParameters[T](command: String, parameterContext: ParameterContext)(
      toResult: SqlBaseParser => T
  ): T = {
    def asSpark(text: String, result: SqlBaseParser => T): T =
      super.parseWithParameters(text, parameterContext)(result)
    val original = tokens(command)
    if (!original.mayHaveParameters) parse(command)(toResult)
    else
      RewrittenText.of(original) match {
        case None            => asSpark(command, toResult)
        case Some(rewritten) =>
          rewritten.withErrors {
            asSpark(rewritten.text, parser => rewritten.withPositions(parser)(toResult(parser)))
          }
      }
  }
}
