package tidegate.clock

import scala.collection.concurrent.TrieMap

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.tidegate.MicroBatchExecution
import tidegate.core.clock.{ClockTimes, QueryClock}
import tidegate.core.figures.{QueryFigures, RunState}
import tidegate.plans.KeyedWatermark
import tidegate.statistics.{DonePartitions, DueTimes, LateRows, SubstreamStats}

/**
 * The clock of a query as the plans of its batches see it: what they count reaches the clock here.
 *
 * @tparam Query
 *   what the clock knows of the query that it belongs to
 */
private[tidegate] abstract class ClockSource[Query] extends MicroBatchStream {

  /** What the batch that has just run has counted. */
  private[clock] val pending = new PendingStats

  private val restored = TrieMap.empty[String, DonePartitions]

  /** The query that this clock belongs to; its plan is read only once. */
  private[clock] def of(execution: MicroBatchExecution): Query

  /** Whether the run ends with what its sources had at its start. */
  private[tidegate] def endsByItself: Boolean

  /**
   * Lets the rows of the running batch move time, and writes to the checkpoint how far. To be
   * called once in a batch, by the thread of the query.
   *
   * @return
   *   the times to which the operators of the batch come; `None` if it moves none of them
   */
  private[clock] def stepWithin(of: Query, batchId: Long): Option[ClockTimes]

  /**
   * The times to which an earlier run of a batch has come within it, if the checkpoint has them.
   */
  private[clock] def knownWithin(of: Query, batchId: Long): Option[ClockTimes]

  /** What the time of the query answers, from any thread; `None` before the first trigger. */
  private[clock] def asked[T](question: QueryClock => T): Option[T]

  /** The figures of the query now, from any thread. */
  private[clock] def figures(of: Query, state: RunState): QueryFigures

  /**
   * The event times for Spark's progress, in epoch ms: of the batch that has just run, or of a
   * trigger without a batch. None if the query has a watermark of Spark's, whose times Spark shows.
   */
  private[clock] def progressTimes(of: Query, hasBatch: Boolean): Map[String, Long]

  /** Takes the statistics of a plan that is about to run, for the clock's next answer. */
  def register(node: KeyedWatermark, stats: SubstreamStats): Unit = pending.add(node, stats)

  /** Takes the late rows of an operator in a plan that is about to run. */
  def register(operator: String, late: LateRows): Unit = pending.add(operator, late)

  /** Takes the due times of an operator in a plan that is about to run. */
  def register(operator: String, due: DueTimes): Unit = pending.add(operator, due)

  /**
   * Where the tasks of an operator note that they have brought their rows of an earlier run to
   * where this run has them; `None` if all have. A batch whose rows the sink has already does not
   * run, so the first batch of a run is not always the one that does it.
   */
  def restores(operator: String, create: => DonePartitions): Option[DonePartitions] =
    Some(restored.getOrElseUpdate(operator, create)).filterNot(_.isComplete)

  override def toString: String = ClockSource.Name
}

private[tidegate] object ClockSource {

  /** What Spark calls the source. */
  val Name = "tidegate_clock"
}
