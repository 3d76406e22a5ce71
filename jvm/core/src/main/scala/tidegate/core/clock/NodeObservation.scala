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
