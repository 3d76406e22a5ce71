package org.apache.spark.sql.tidegate

import org.apache.spark.sql.classic.SparkSession

/** The session of a query's batches. */
private object BatchSession {
  def of(query: StreamExecution): SparkSession = query.sparkSessionForStream
}
