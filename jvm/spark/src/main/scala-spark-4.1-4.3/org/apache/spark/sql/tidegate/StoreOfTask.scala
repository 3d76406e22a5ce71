package org.apache.spark.sql.tidegate

import org.apache.spark.sql.execution.streaming.state.StateStoreThreadLocalTracker

/** The state store that the operators of a task share. */
object StoreOfTask {
  def forget(): Unit = StateStoreThreadLocalTracker.clearStore()
}
