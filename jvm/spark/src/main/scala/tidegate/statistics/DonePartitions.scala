package tidegate.statistics

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator

/** Which partitions of a state have done what a run does once. */
final class DonePartitions private (partitions: Int, done: CollectionAccumulator[Int])
    extends Serializable {

  /** Notes, in a task, that a partition has done it. */
  def add(partition: Int): Unit = done.add(partition)

  /** Whether all partitions have done it. A batch may have left some of them out, or all. */
  def isComplete: Boolean = done.value.asScala.toSet.size == partitions
}

object DonePartitions {
  def in(context: SparkContext, partitions: Int): DonePartitions =
    new DonePartitions(partitions, context.collectionAccumulator[Int])
}
