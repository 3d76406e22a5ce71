package tidegate

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSessionExtensions
import tidegate.sql.RemindOfExtension
import tidegate.sql.parser.RemindingSqlParser

/** What sessions get that may lack the extension. */
private[tidegate] object Reminders {

  def into(extensions: SparkSessionExtensions): Unit = {
    // For the spellings of calls that Spark's grammar refuses.
    extensions.injectParser((session, delegate) =>
      orElse(delegate)(RemindingSqlParser.around(session, delegate))
    )

    // Before Spark looks for functions.
    extensions.injectHintResolutionRule(RemindOfExtension(_))
  }

  /** A reminder, or `usual` if the reminder fails: nobody has asked for it in this session. */
  def orElse[T](usual: => T)(reminder: => T): T =
    try reminder
    catch { case NonFatal(_) | _: LinkageError => usual }
}
