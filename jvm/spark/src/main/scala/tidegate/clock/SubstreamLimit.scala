package tidegate.clock

import org.apache.spark.sql.internal.SQLConf
import tidegate.TidegateErrors
import tidegate.plans.KeyedWatermark

/**
 * How many substreams a watermark node may have. The driver keeps the time of each, so a column of
 * many values, such as a user, has to be refused before memory suffers.
 *
 * @param node
 *   the name of the watermark node
 * @param columns
 *   its substream columns
 * @param max
 *   the most that it may have
 */
final case class SubstreamLimit(node: String, columns: Seq[String], max: Int) {

  def isExceededBy(count: Int): Boolean = count > max

  /** @throws AnalysisException if `count` are too many */
  def check(count: Int): Unit =
    if (isExceededBy(count)) throw TidegateErrors.tooManySubstreams(node, columns, count, max)
}

object SubstreamLimit {

  /** A setting of the session: the most substreams of a watermark node; 100,000 by default. */
  val Setting = "spark.tidegate.maxSubstreams"

  val none: SubstreamLimit = SubstreamLimit("", Nil, Int.MaxValue)

  def of(node: KeyedWatermark, conf: SQLConf): SubstreamLimit = {
    val value = conf.getConfString(Setting, "100000")
    val max = value.trim.toIntOption
      .filter(_ > 0)
      .getOrElse(throw TidegateErrors.invalidSetting(Setting, value, "a whole number above 0"))
    SubstreamLimit(node.spec.name, node.substream.map(_.name), max)
  }
}
