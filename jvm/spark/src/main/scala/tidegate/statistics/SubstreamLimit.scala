package tidegate.statistics

import org.apache.spark.sql.internal.SQLConf
import tidegate.errors.QueryErrors
import tidegate.plans.KeyedWatermark
import tidegate.settings.Settings

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
    if (isExceededBy(count)) throw QueryErrors.tooManySubstreams(node, columns, count, max)
}

object SubstreamLimit {

  val none: SubstreamLimit = SubstreamLimit("", Nil, Int.MaxValue)

  def of(node: KeyedWatermark, conf: SQLConf): SubstreamLimit =
    SubstreamLimit(node.spec.name, node.substream.map(_.name), Settings.MaxSubstreams.in(conf))
}
