package tidegate

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}
import tidegate.sql.RemindOfExtension
import tidegate.sql.parser.RemindingSqlParser

/**
 * Answers calls of Tidegate's functions in SQL in sessions that have the jar and not the extension:
 * the error says how to add the extension, where Spark would say that it knows no `DESCRIPTOR`.
 *
 * Spark finds this class in the jar, in `META-INF/services`, and applies it to every session,
 * before the classes of `spark.sql.extensions`. So it adds nothing that a statement which Spark
 * accepts could notice, and does not install the extension: Spark only logs an error of such a
 * class, and then a jar for another Spark would be skipped in silence.
 */
final class ExtensionReminder extends SparkSessionExtensionsProvider {

  override def apply(extensions: SparkSessionExtensions): Unit =
    // On another Spark the other classes may not even load.
    if (SparkMatch.isFor(SPARK_VERSION)) Reminders.into(extensions)
}

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
