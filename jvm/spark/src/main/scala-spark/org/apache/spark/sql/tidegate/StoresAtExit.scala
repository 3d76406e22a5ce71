package org.apache.spark.sql.tidegate

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.util.ShutdownHookManager

/**
 * Closes the state stores of a JVM before the JVM halts.
 *
 * Spark keeps the stores of ended queries open, also after the session has ended. When a JVM halts
 * with an open RocksDB, RocksDB waits for its compaction under way, the compaction has a line for
 * Spark's log, and the line waits for the JVM: the process never ends. Spark's own context stops
 * before, so no task uses a store any more; the folders of the stores are removed after.
 */
object StoresAtExit extends Logging {

  /** A store that some task still uses must not keep the process. */
  private val MostSeconds = 20L

  /** Of stores that cannot be closed; without a bound, a failure of Spark's own would go on. */
  private val MostFailures = 1000

  private lazy val installed: AnyRef = {
    import ShutdownHookManager._
    val between = (SPARK_CONTEXT_SHUTDOWN_PRIORITY + TEMP_DIR_SHUTDOWN_PRIORITY) / 2
    addShutdownHook(between)(() => close())
  }

  /** To be called in each JVM that may have stores: the driver, and the executors in tasks. */
  def install(): Unit = installed: Unit

  /** Spark ends at the first store that cannot be closed, and has forgotten that store then. */
  private def isDone: Boolean =
    try {
      StateStore.stop()
      true
    } catch {
      case NonFatal(e) =>
        logWarning(s"A state store was not closed at the end: $e")
        false
    }

  /** Closes all stores of this JVM, or gives up after a while. */
  def close(): Unit = {
    val closing = new Thread("tidegate-close-stores") {
      override def run(): Unit =
        (1 to MostFailures).exists(_ => isDone): Unit
    }
    closing.setDaemon(true)
    closing.start()
    closing.join(MostSeconds * 1000)
  }
}
