package org.apache.spark.sql.tidegate

import java.net.URL

import org.apache.spark.{ErrorClassesJsonReader, SparkThrowableHelper}

/** Access to the error conditions that Spark's error reader knows. */
object ErrorConditions {

  /**
   * Makes our error conditions known to Spark's error reader. Classic PySpark looks a condition up
   * there as soon as its exception has a position; without this it shows an internal error.
   */
  def register(conditions: URL): Unit = synchronized {
    val own = new ErrorClassesJsonReader(Seq(conditions)).errorInfoMap
    val reader = SparkThrowableHelper.errorReader
    if (!own.keySet.subsetOf(reader.errorInfoMap.keySet)) {
      val field = classOf[ErrorClassesJsonReader].getDeclaredField("errorInfoMap")
      field.setAccessible(true)
      field.set(reader, reader.errorInfoMap ++ own)
    }
  }
}
