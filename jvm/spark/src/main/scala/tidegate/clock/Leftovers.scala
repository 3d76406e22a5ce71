package tidegate.clock

import java.util.{Collections, Map => JMap, WeakHashMap}

import scala.collection.mutable

import org.apache.spark.sql.streaming.StreamingQuery

/** What earlier runs of a query have left in the folders to which its tasks write. */
private[tidegate] final class Leftovers {
  private val removed = mutable.Set.empty[String]

  /**
   * Removes what is left under a name, before this run has written anything of it: only at the
   * first call, and others wait for its end.
   */
  def once(name: String)(remove: => Unit): Unit = synchronized {
    if (!removed(name)) {
      remove
      removed += name
    }
  }
}

private[tidegate] object Leftovers {

  private val byRun: JMap[StreamingQuery, Leftovers] =
    Collections.synchronizedMap(new WeakHashMap)

  /** Those of a run of a query, also of one without a clock. */
  def of(run: StreamingQuery): Leftovers = byRun.computeIfAbsent(run, _ => new Leftovers)
}
