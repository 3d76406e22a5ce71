package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/**
 * Keywords that earlier versions of Spark lack. For those versions they are numbers that no token
 * has.
 */
object LaterKeywords {
  val STREAM: Int = SqlBaseParser.STREAM
  val IDENTIFIED: Int = SqlBaseParser.IDENTIFIED
}
