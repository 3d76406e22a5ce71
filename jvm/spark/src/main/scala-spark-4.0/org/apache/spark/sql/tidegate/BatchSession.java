package org.apache.spark.sql.tidegate;

import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.StreamExecution;

/** The session of a query's batches, which Scala does not let others than Spark see. */
final class BatchSession {
  private BatchSession() {}

  static SparkSession of(StreamExecution query) {
    return query.sparkSessionForStream();
  }
}
