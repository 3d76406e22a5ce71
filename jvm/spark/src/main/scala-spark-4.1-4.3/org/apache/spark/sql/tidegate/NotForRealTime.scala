package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.streaming.{Offset, PartitionOffset, SupportsRealTimeMode}
import org.apache.spark.sql.execution.streaming.RealTimeTrigger

/**
 * A source that refuses real-time mode with its own error. Without this interface, Spark's error
 * would only name the class of the source.
 */
trait NotForRealTime extends SupportsRealTimeMode {

  /** Throws the error. */
  protected def refuseRealTime(): Nothing

  override def prepareForRealTimeMode(): Unit = refuseRealTime()

  override def planInputPartitions(start: Offset): Array[InputPartition] = refuseRealTime()

  override def mergeOffsets(offsets: Array[PartitionOffset]): Offset = refuseRealTime()
}

object NotForRealTime {

  /** Whether a query is started in real-time mode. */
  def isAsked(query: WriteToStreamStatement): Boolean =
    query.trigger.isInstanceOf[RealTimeTrigger]
}
