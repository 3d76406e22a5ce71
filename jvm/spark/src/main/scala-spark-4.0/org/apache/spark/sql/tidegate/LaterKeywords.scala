package org.apache.spark.sql.tidegate

/** Keywords that this version of Spark lacks: they are numbers that no token has. */
object LaterKeywords {
  val STREAM: Int = Int.MinValue
  val IDENTIFIED: Int = Int.MinValue + 1

  def isMissing(keyword: Int): Boolean = keyword < 0
}
