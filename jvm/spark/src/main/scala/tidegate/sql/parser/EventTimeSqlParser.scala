package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser
import org.apache.spark.sql.execution.SparkSqlAstBuilder
import org.apache.spark.sql.internal.VariableSubstitution
import org.apache.spark.sql.tidegate.ParameterSqlParser

/**
 * Spark's parser, extended to spellings of calls that Spark's grammar refuses: they are mended
 * before Spark parses them.
 */
private[parser] class EventTimeSqlParser extends ParameterSqlParser {
  private val variables = new VariableSubstitution

  override val astBuilder: SparkSqlAstBuilder = new EventTimeAstBuilder

  /** Whether a statement calls one of our table functions. */
  def hasCall(sqlText: String): Boolean =
    mentionsDescriptor(variables.substitute(sqlText)) && tokens(sqlText).calls.nonEmpty

  // Most statements have no call, and need not be split into tokens to find that out.
  private def mentionsDescriptor(sqlText: String): Boolean =
    sqlText.indices.exists(i =>
      sqlText.regionMatches(true, i, CallSpan.Descriptor, 0, CallSpan.Descriptor.length)
    )

  protected override def parse[T](command: String)(toResult: SqlBaseParser => T): T =
    super.parse(command) { parser =>
      MendedTokens.replaceIn(parser)
      toResult(parser)
    }

  /**
   * To find parameters, Spark parses the text an extra time, before we have access to the tokens.
   * So if a text may have parameters, the text itself is mended, and positions in it are mapped
   * back.
   */
  override protected def parseMarked[T](
      command: String,
      asSpark: (String, SqlBaseParser => T) => T
  )(toResult: SqlBaseParser => T): T = {
    val original = tokens(command)
    if (!original.mayHaveParameters) parse(command)(toResult)
    else
      MendedText.of(original) match {
        case None         => asSpark(command, toResult)
        case Some(mended) =>
          mended.withErrors {
            asSpark(mended.text, parser => mended.withPositions(parser)(toResult(parser)))
          }
      }
  }

  private def tokens(sqlText: String): SqlTokens = super.parse(sqlText)(SqlTokens.of)
}
