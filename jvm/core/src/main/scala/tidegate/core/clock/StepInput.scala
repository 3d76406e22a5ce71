package tidegate.core.clock

/**
 * What batches saw of the substreams of one node since the last step.
 *
 * @param tops
 *   by substream, the highest event time in µs, or `SubstreamClock.NoTime`
 * @param late
 *   by substream, how many rows were below the watermark of the node at the start of their batch;
 *   substreams without such rows are left out
 */
final case class NodeObservation(
    tops: collection.Map[String, Long],
    late: collection.Map[String, Long] = Map.empty
)

/**
 * What the sources of a query said when they were asked for their offsets.
 *
 * @param isReadUp
 *   whether the query has read everything that the sources reported
 * @param isNew
 *   whether at least one of the sources gave anything to read
 * @param endedMs
 *   when all of them had been asked, in epoch ms
 * @param unread
 *   for the nodes whose sources may report their substreams: by substream, whether there were
 *   unread rows, the same object as long as nothing changes; `None` if the source reported nothing
 * @param withheld
 *   by node, a source that reported rows and gave none
 */
final case class SourceRound(
    isReadUp: Boolean,
    isNew: Boolean,
    endedMs: Long,
    unread: Map[String, Option[Map[String, Boolean]]] = Map.empty,
    withheld: Map[String, String] = Map.empty
)

object SourceRound {

  /**
   * The round of the last batch of an earlier run, which was put together at `atMs`: all that is
   * known of the round.
   */
  def replayed(atMs: Long): SourceRound =
    SourceRound(isReadUp = false, isNew = true, endedMs = atMs)
}

/**
 * When an operator has something to do next without new rows, as it reports at the end of a batch.
 *
 * @param ms
 *   the first eviction watermark, in epoch ms, at which something may leave its state; it may be
 *   too early, but never too late
 * @param isOfAll
 *   whether this is so for all of its state; if not, only for what the batch has touched
 */
final case class NextDue(ms: Long, isOfAll: Boolean)
