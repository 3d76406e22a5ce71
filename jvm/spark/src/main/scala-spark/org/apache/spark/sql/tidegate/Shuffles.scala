package org.apache.spark.sql.tidegate

import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** The shuffles of a plan, as stages that run on their own. */
object Shuffles {

  /**
   * Runs the stages that write some shuffles, all at once, and waits until the last has ended. The
   * stages that read them come later, and find them done.
   *
   * @throws SparkException
   *   if a stage fails
   */
  def await(shuffles: Seq[ShuffleExchangeLike]): Unit =
    shuffles.map(_.submitShuffleJob()).foreach(Await.result(_, Duration.Inf))
}
