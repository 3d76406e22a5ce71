package org.apache.spark.sql.tidegate

import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.streaming.{Offset, PartitionOffset, SupportsRealTimeMode}

/** A source that refuses to be read in real-time mode, which asks only those that it knows. */
trait NotForRealTime extends SupportsRealTimeMode {

  /** Throws. */
  protected def refuseRealTime(): Nothing

  override def prepareForRealTimeMode(): Unit = refuseRealTime()

  override def planInputPartitions(start: Offset): Array[InputPartition] = refuseRealTime()

  override def mergeOffsets(offsets: Array[PartitionOffset]): Offset = refuseRealTime()
}
