package tidegate.clock

import org.apache.spark.sql.tidegate.EventTimeReporter
import tidegate.core.clock.NodeMark
import tidegate.statistics.TimesSeen

/**
 * The event times that Spark's progress shows, with Spark's names: those of the keyed watermark
 * that is lowest. Spark has one watermark for a query, which is the lowest of its streams.
 */
private[clock] object ProgressTimes {

  /**
   * The times in epoch ms. A node without a watermark has nothing to show; as long as no node has
   * one, the first that saw events shows them. Times before the year 1 are left out.
   *
   * @param nodes
   *   the names of the watermark nodes, in the order of the plan
   * @param seen
   *   the times of a batch, by node
   */
  def of(
      nodes: Seq[String],
      marks: Map[String, NodeMark],
      seen: Map[String, TimesSeen]
  ): Map[String, Long] = {
    val watermarks = nodes.flatMap(name => marks.get(name).flatMap(_.watermarkMs).map(name -> _))
    val lowestMs = watermarks.map(_._2).minOption
    val lowest = lowestMs.fold(nodes)(ms => watermarks.collect { case (name, `ms`) => name })
    val batch = lowest.flatMap(seen.get).find(!_.isEmpty).fold(Map.empty[String, Long]) { times =>
      Map("min" -> times.minMs, "max" -> times.maxMs, "avg" -> times.avgMs)
    }
    (batch ++ lowestMs.map("watermark" -> _)).filter(_._2 >= EventTimeReporter.FirstMs)
  }
}
