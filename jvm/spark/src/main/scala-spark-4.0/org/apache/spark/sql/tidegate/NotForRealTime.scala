package org.apache.spark.sql.tidegate

/** A source that refuses real-time mode, which this version of Spark does not have. */
trait NotForRealTime {

  /** Throws the error. */
  protected def refuseRealTime(): Nothing
}
