package tidegate.sql.parser

import java.lang.reflect.Modifier.isStatic

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.tidegate.DelegatingParser
import tidegate.errors.WatermarkErrors
import tidegate.sql.RemindOfExtension

/**
 * Leaves everything to `delegate`. If that refuses a statement with one of our calls, and the
 * session lacks the extension and has no function of that name, the error says so, at the call.
 */
private[tidegate] final class RemindingSqlParser(
    session: SparkSession,
    override protected val delegate: ParserInterface
) extends DelegatingParser {
  override protected def parse[T](sqlText: String)(how: ParserInterface => T): T =
    try how(delegate)
    catch {
      case e: ParseException => throw RemindOfExtension.orElse[Exception](e)(reminder(e, sqlText))
    }

  private def reminder(refusal: ParseException, sqlText: String): Exception =
    new EventTimeSqlParser()
      .atFirstCall(sqlText, RemindOfExtension.isUnknown(session, _)) {
        WatermarkErrors.extensionNotInstalled()
      }
      .getOrElse(refusal)
}

private[tidegate] object RemindingSqlParser {

  /**
   * The reminding parser around `delegate`, or `delegate` itself if another extension made it,
   * since such an extension may look for its own class; or if Spark has more methods than ours.
   */
  def around(session: SparkSession, delegate: ParserInterface): ParserInterface = delegate match {
    case _: SparkSqlParser if missing(classOf[ParserInterface]).isEmpty =>
      new RemindingSqlParser(session, delegate)
    case other => other
  }

  /**
   * The methods of an interface of parsers that this parser does not pass on. Another build of the
   * same Spark may have added some, and this parser is in sessions that did not ask for Tidegate.
   */
  def missing(interface: Class[_]): Seq[String] =
    interface.getMethods.toSeq
      .filterNot(method => isStatic(method.getModifiers))
      .filterNot(method => isPassedOn(method.getName, method.getParameterTypes.toSeq))
      .map(_.getName)

  private def isPassedOn(name: String, parameters: Seq[Class[_]]): Boolean =
    classOf[RemindingSqlParser].getMethods.exists { own =>
      own.getName == name && own.getParameterTypes.toSeq == parameters &&
      own.getDeclaringClass != classOf[ParserInterface]
    }
}
