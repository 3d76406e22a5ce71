package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** Keywords that this version of Spark has, or lacks: those are numbers that no token has. */
object LaterKeywords {
  val STREAM: Int = SqlBaseParser.STREAM
  val IDENTIFIED: Int = Int.MinValue

  def isMissing(keyword: Int): Boolean = keyword < 0
}
