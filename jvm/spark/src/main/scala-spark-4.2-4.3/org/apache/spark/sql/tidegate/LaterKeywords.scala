package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** Keywords that earlier versions of Spark lack. */
object LaterKeywords {
  val STREAM: Int = SqlBaseParser.STREAM
  val IDENTIFIED: Int = SqlBaseParser.IDENTIFIED

  def isMissing(keyword: Int): Boolean = keyword < 0
}
