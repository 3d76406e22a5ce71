package tidegate
package faults

import java.util.concurrent.{CompletableFuture, Executor, TimeUnit}

import scala.concurrent.Future
import scala.jdk.FutureConverters._

import org.apache.spark.sql.Row
import tidegate.plans.{AsyncFunction, CallKey}

/**
 * Answers each row with the row itself, some milliseconds later, and the rows of a task not in
 * their order: whenever a process is killed, calls are in flight.
 */
final class SlowAnswers extends AsyncFunction {

  override def call(row: Row, key: CallKey): Future[Row] =
    CompletableFuture
      .supplyAsync[Row](() => row, after(LongestMs - key.row * 7 % LongestMs))
      .asScala

  private def after(ms: Long): Executor =
    CompletableFuture.delayedExecutor(ms, TimeUnit.MILLISECONDS)

  private def LongestMs = 30L
}
