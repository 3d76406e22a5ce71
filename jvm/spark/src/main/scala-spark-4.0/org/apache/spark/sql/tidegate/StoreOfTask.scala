package org.apache.spark.sql.tidegate

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.streaming.state.{StateStoreConf, StateStoreProviderId}

/** In this version of Spark the operators of a task share no state store, and all stay loaded. */
private object StoreOfTask {
  def forget(): Unit = ()

  def unloadAtEnd(task: TaskContext, id: StateStoreProviderId, conf: StateStoreConf): Unit = ()
}
