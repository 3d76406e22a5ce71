package org.apache.spark.sql.tidegate

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStoreInstanceMetric

/** The figures that Spark keeps of each store of an operator. */
private[tidegate] trait FiguresOfStores extends StateStoreWriter { self: SparkPlan =>
  protected def operator: StateStoreWriter

  override lazy val instanceMetrics: Map[StateStoreInstanceMetric, SQLMetric] =
    operator.instanceMetrics

  /** Makes the figures of each store. */
  def ofStores(): Unit = instanceMetrics: Unit
}
