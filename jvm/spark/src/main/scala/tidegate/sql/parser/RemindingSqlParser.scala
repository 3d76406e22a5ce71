package tidegate.sql.parser

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.tidegate.DelegatingParser
import tidegate.errors.WatermarkErrors
import tidegate.sql.RemindOfExtension

/**
 * Leaves everything to `delegate`. If that refuses a statement with one of our calls, and the
 * session lacks the extension, the error says so, at the call.
 */
private[tidegate] final class RemindingSqlParser(
    session: SparkSession,
    override protected val delegate: ParserInterface
) extends DelegatingParser {
  private lazy val calls = new EventTimeSqlParser

  override protected def parse[T](sqlText: String)(how: ParserInterface => T): T =
    try how(delegate)
    catch {
      case e: ParseException if RemindOfExtension.isMissing(session) =>
        throw calls.atFirstCall(sqlText)(WatermarkErrors.extensionNotInstalled()).getOrElse(e)
    }
}
