package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser
import org.apache.spark.sql.execution.SparkSqlAstBuilder
import org.apache.spark.sql.internal.VariableSubstitution
import org.apache.spark.sql.tidegate.ParameterSqlParser

/**
 * Spark's parser, which also takes the spellings of calls that Spark's grammar refuses: they are
 * mended before Spark parses them.
 */
private[parser] class EventTimeSqlParser extends ParameterSqlParser {
  private val variables = new VariableSubstitution

  override val astBuilder: SparkSqlAstBuilder = new EventTimeAstBuilder

  /** Whether a table function of ours is called in a statement. */
  def hasCall(sqlText: String): Boolean =
    mentionsDescriptor(variables.substitute(sqlText)) && tokens(sqlText).calls.nonEmpty

  // Most statements have no call: they should not be taken apart to learn that.
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
   * Spark parses the text once more, to find its parameters, before we can get at the tokens: so
   * the text is mended where it may have parameters. Its positions are mapped back.
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
