package org.apache.spark.sql.tidegate

import org.apache.spark.SparkThrowableHelper

/** What Spark's own error reader knows. */
object KnownConditions {
  def contains(condition: String): Boolean =
    SparkThrowableHelper.isValidErrorClass(condition) &&
      SparkThrowableHelper.getSqlState(condition) != null
}
