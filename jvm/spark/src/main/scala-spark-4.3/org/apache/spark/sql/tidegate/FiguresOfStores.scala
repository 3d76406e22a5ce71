package org.apache.spark.sql.tidegate

import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreInstanceMetricAccumulator
import org.apache.spark.sql.execution.SparkPlan

/** The figures that Spark keeps of each store of an operator. */
private[tidegate] trait FiguresOfStores extends StateStoreWriter { self: SparkPlan =>
  protected def operator: StateStoreWriter

  override val instanceMetricsAccumulator: StateStoreInstanceMetricAccumulator =
    operator.instanceMetricsAccumulator

  /** Makes the figures of each store: they are there. */
  def ofStores(): Unit = ()
}
