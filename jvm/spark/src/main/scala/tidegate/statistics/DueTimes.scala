package tidegate.statistics

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator
import tidegate.core.clock.NextDue

/**
 * When an operator has something to do next, as the tasks of one batch report.
 *
 * @param partitions
 *   the number of partitions of its state
 */
final class DueTimes private (partitions: Int, reported: CollectionAccumulator[DueTimes.Due])
    extends Serializable {

  /**
   * Reports it for a partition of the state, in a task, when the batch is done there.
   *
   * @param micros
   *   the earliest time in the state, in µs; `DueTimes.Never` if nothing is there
   * @param isOfAll
   *   whether this is so for all rows of the partition, or only for those that were touched
   */
  def tell(partition: Int, micros: Long, isOfAll: Boolean = true): Unit =
    reported.add(DueTimes.Due(partition, micros, isOfAll))

  /**
   * What they reported; `None` if some partition did not: in `foreachBatch` a function may leave
   * partitions out. A partition may report several times, as for each action of such a function.
   */
  def value: Option[NextDue] = {
    val all = reported.value.asScala.toVector
    Option.when(all.map(_.partition).distinct.size == partitions) {
      val first = all.map(_.micros).min
      NextDue(
        if (first == DueTimes.Never) Long.MaxValue else Math.floorDiv(first, 1000L),
        all.forall(_.isOfAll)
      )
    }
  }
}

object DueTimes {

  /** No time at which something is due. */
  val Never: Long = Long.MaxValue

  private final case class Due(partition: Int, micros: Long, isOfAll: Boolean)

  def in(context: SparkContext, partitions: Int): DueTimes =
    new DueTimes(partitions, context.collectionAccumulator[Due])
}
