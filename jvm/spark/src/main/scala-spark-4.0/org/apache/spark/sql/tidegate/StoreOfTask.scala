package org.apache.spark.sql.tidegate

/** The operators of a task share no state store in this version of Spark. */
object StoreOfTask {
  def forget(): Unit = ()
}
