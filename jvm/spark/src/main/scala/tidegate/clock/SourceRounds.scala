package tidegate.clock

import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.tidegate.StreamExecutionContext
import tidegate.core.clock.SourceRound
import tidegate.plans.KeyedWatermark
import tidegate.sources.{ReadUp, SourceParts}

/** What the sources of a query say when Spark asks them for their offsets, round by round. */
private[clock] final class SourceRounds(
    nodes: Seq[KeyedWatermark],
    clock: SparkDataStream,
    endsByItself: Boolean
) {
  private val readUp = new ReadUp(endsByItself)
  @volatile private var last: Option[StreamExecutionContext] = None

  /** What the sources said in the last round, if its batch has asked for it. */
  private var known: Option[SourceRound] = None

  /** The parts of those nodes whose sources report their substreams. */
  private val parts: Map[String, SourceParts] =
    nodes.flatMap(n => SourceParts.of(n).map(n.spec.name -> _)).toMap

  /** Whether the source of a node reports its substreams. */
  def hasParts(node: String): Boolean = parts.contains(node)

  /**
   * To be called once in every round, when Spark asks the sources for their offsets. Returns what
   * the sources said in the round before, if there was one: their answers in this round are not
   * known yet.
   */
  def note(context: StreamExecutionContext): Option[SourceRound] = {
    val before = known.orElse(last.map(said))
    known = None
    last = Some(context)
    before
  }

  /** What the sources have said in the round whose batch runs. */
  def ofBatch: Option[SourceRound] = {
    known = known.orElse(last.map(said))
    known
  }

  private def said(c: StreamExecutionContext): SourceRound = {
    val isReadUp = readUp(c, dataSources(c).toSeq)
    SourceRound(
      isReadUp,
      hasMoved(c),
      c.offsetSeqMetadata.batchTimestampMs,
      parts.map { case (name, p) => name -> p.unread(c) },
      if (isReadUp) Map.empty else withheld(c)
    )
  }

  /** Whether the batch of a round has something to read. */
  def hasMoved(c: StreamExecutionContext): Boolean = dataSources(c).exists(readUp.hasMoved(c, _))

  /** How many rows of each substream are not read, where the source reports it. */
  def unreadRows(node: String): Map[String, Long] = {
    for (p <- parts.get(node); round <- last) yield p.unreadRows(round)
  }.getOrElse(Map.empty)

  /** By node, a source that has reported rows in a round and given none. */
  private def withheld(c: StreamExecutionContext): Map[String, String] = {
    val sources = dataSources(c).filter(readUp.withholds(c, _)).toSet
    if (sources.isEmpty) Map.empty
    else
      nodes.flatMap { node =>
        SourceParts.sourcesOf(node).find(sources).map(node.spec.name -> _.toString)
      }.toMap
  }

  private def dataSources(c: StreamExecutionContext): Iterator[SparkDataStream] =
    c.endOffsets.keysIterator.filterNot(_ eq clock)
}
