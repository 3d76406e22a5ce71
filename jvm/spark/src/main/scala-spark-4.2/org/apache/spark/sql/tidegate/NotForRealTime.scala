package org.apache.spark.sql.tidegate

import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.streaming.{Offset, PartitionOffset, SupportsRealTimeMode}

/**
 * A source that refuses real-time mode in words of its own. Spark would refuse a source without
 * this interface by the name of its class.
 */
trait NotForRealTime extends SupportsRealTimeMode {

  /** Throws. */
  protected def refuseRealTime(): Nothing

  override def prepareForRealTimeMode(): Unit = refuseRealTime()

  override def planInputPartitions(start: Offset): Array[InputPartition] = refuseRealTime()

  override def mergeOffsets(offsets: Array[PartitionOffset]): Offset = refuseRealTime()
}
