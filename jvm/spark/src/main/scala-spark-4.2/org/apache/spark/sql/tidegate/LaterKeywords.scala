package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** The keywords that the grammar of some version of Spark lacks: no token is of their kind there. */
object LaterKeywords {
  val STREAM: Int = SqlBaseParser.STREAM
  val IDENTIFIED: Int = SqlBaseParser.IDENTIFIED
}
