package org.apache.spark.sql.tidegate

import scala.annotation.unused

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/** A source that refuses real-time mode, which this version of Spark does not have. */
trait NotForRealTime {

  /** Throws the error. */
  protected def refuseRealTime(): Nothing
}

object NotForRealTime {
  def isAsked(@unused query: WriteToStreamStatement): Boolean = false
}
