package org.apache.spark.sql.tidegate

import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * Runs what only shows something, such as figures, gauges and lines of the log: a failure is one
 * line in the log, and ends no query.
 */
final class OnlyShown extends Logging with Serializable {
  private val failed = ConcurrentHashMap.newKeySet[String]()

  /**
   * @param what
   *   what is shown, as the beginning of a sentence. A second failure of the same is silent
   * @param otherwise
   *   the result if `show` fails
   */
  def orElse[T](what: String, otherwise: => T)(show: => T): T =
    try show
    catch {
      // Another version of a library that shows something fails with a linkage error.
      case e @ (NonFatal(_) | _: LinkageError) =>
        if (failed.add(what)) logWarning(s"$what cannot be shown, and the query continues: $e")
        otherwise
    }

  def apply(what: String)(show: => Unit): Unit = orElse(what, ())(show)
}
