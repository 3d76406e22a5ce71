package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.tidegate.DelegatingParser

/**
 * Parses statements that call a table function of Tidegate, such as
 * `TUMBLE(TABLE t, DESCRIPTOR(ts), 5 seconds)`. All other statements go to `delegate` unchanged, so
 * that their plans, positions and errors stay the same, and so do the statements of other
 * extensions.
 */
final class TidegateSqlParser(override protected val delegate: ParserInterface)
    extends DelegatingParser {
  private val own = new EventTimeSqlParser

  override protected def parserOf(sqlText: String): ParserInterface =
    if (own.hasCall(sqlText)) own else delegate
}
