package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** Keywords that an earlier version of Spark lacks. There, they are numbers that no token has. */
object LaterKeywords {
  val STREAM: Int = SqlBaseParser.STREAM
  val IDENTIFIED: Int = SqlBaseParser.IDENTIFIED
}
