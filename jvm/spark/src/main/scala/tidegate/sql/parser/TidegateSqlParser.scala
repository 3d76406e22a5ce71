package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.tidegate.DelegatingParser
import tidegate.errors.Conditions

/**
 * Parses statements that call a table function of Tidegate, such as
 * `TUMBLE(TABLE t, DESCRIPTOR(ts), 5 seconds)`. All other statements go to `delegate` unchanged, so
 * that their plans, positions and errors stay the same, and so do the statements of other
 * extensions.
 *
 * A statement that is refused is parsed once more, with calls that are probably meant to be ours:
 * the analysis can then say what is wrong with the call, and not only where Spark's grammar ends.
 * If the statement has a clause that only later versions of Spark have, the error says so.
 */
final class TidegateSqlParser(override protected val delegate: ParserInterface)
    extends DelegatingParser {
  private val own = new EventTimeSqlParser
  private val lenient = new EventTimeSqlParser(isLenient = true)

  override protected def parse[T](sqlText: String)(how: ParserInterface => T): T =
    try how(if (own.hasCall(sqlText)) own else delegate)
    catch {
      case e: ParseException =>
        meant(sqlText)(how).getOrElse(throw own.laterClause(sqlText, e).getOrElse(e))
    }

  private def meant[T](sqlText: String)(how: ParserInterface => T): Option[T] =
    try Option.when(lenient.hasCall(sqlText))(how(lenient))
    catch { case e: ParseException if !Conditions.isOwn(e) => None }
}
