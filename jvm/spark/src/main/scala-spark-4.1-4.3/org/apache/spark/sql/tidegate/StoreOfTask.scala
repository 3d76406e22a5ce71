package org.apache.spark.sql.tidegate

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.streaming.state.{
  StateStore,
  StateStoreConf,
  StateStoreProviderId,
  StateStoreThreadLocalTracker
}

/** The state store of a task. */
private object StoreOfTask {

  /**
   * Makes the task forget a store. Spark hands the store that an aggregation has read to the next
   * operator of the same task that writes a store, whichever this is.
   */
  def forget(): Unit = StateStoreThreadLocalTracker.clearStore()

  /** Unloads a store when the task ends, if the settings say so. */
  def unloadAtEnd(task: TaskContext, id: StateStoreProviderId, conf: StateStoreConf): Unit =
    if (conf.unloadOnCommit) {
      val _ = task.addTaskCompletionListener[Unit](_ => StateStore.doMaintenanceAndUnload(id))
    }
}
