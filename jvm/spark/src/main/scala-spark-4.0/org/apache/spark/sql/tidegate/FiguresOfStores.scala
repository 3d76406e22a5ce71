package org.apache.spark.sql.tidegate

import org.apache.spark.sql.execution.SparkPlan

/** The figures that Spark keeps of each store of an operator. */
private[tidegate] trait FiguresOfStores extends StateStoreWriter { self: SparkPlan =>
  protected def operator: StateStoreWriter

  /** Makes the figures of each store: this Spark has none. */
  def ofStores(): Unit = ()
}
