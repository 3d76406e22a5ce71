package org.apache.spark.sql.tidegate

import org.apache.spark.TaskContext

/** Threads beside that of a task. */
object TaskThreads {

  /** Starts a thread that knows the task; null if there is none. It keeps no process alive. */
  def start(name: String, task: TaskContext)(work: Runnable): Unit = {
    val inTask: Runnable = () => {
      TaskContext.setTaskContext(task)
      try work.run()
      finally TaskContext.unset()
    }
    val thread = new Thread(inTask, name)
    thread.setDaemon(true)
    thread.start()
  }
}
