package tidegate
package golden

import org.apache.spark.sql.DataFrame

/**
 * A query with which every version has to continue.
 *
 * @param name
 *   of its files
 * @param settings
 *   where Spark keeps its state, and in which format
 * @param isOrdered
 *   whether the order of its rows counts
 * @param query
 *   over two streams of [[Event]]s; the second one may stay unused
 */
final case class GoldenQuery(
    name: String,
    settings: Map[String, String],
    isOrdered: Boolean = false
)(val query: (DataFrame, DataFrame) => DataFrame) {

  /** Whether the Spark that runs has the formats that the settings ask for. */
  def isOfThisSpark: Boolean = settings
    .get("spark.sql.streaming.join.stateFormatVersion")
    .forall(format => SparkFeatures.hasJoinFormat(format.toInt))
}
