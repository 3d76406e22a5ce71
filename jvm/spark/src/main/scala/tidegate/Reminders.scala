package tidegate

import org.apache.spark.sql.SparkSessionExtensions
import tidegate.sql.RemindOfExtension
import tidegate.sql.parser.RemindingSqlParser

/** What sessions get that may lack the extension. */
private[tidegate] object Reminders {

  def into(extensions: SparkSessionExtensions): Unit = {
    // For the spellings of calls that Spark's grammar refuses.
    extensions.injectParser((session, delegate) =>
      RemindOfExtension.orElse(delegate)(RemindingSqlParser.around(session, delegate))
    )

    // Before Spark looks for functions.
    extensions.injectHintResolutionRule(RemindOfExtension(_))
  }
}
