package tidegate.javaapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a snapshot or a checkpoint holds.
 *
 * @param path its folder
 * @param query the name of the query, or else its id
 * @param queryId the id of the query
 * @param batchId the last committed batch
 * @param begun the batch after it, if the batch was begun
 * @param batchTime the wall clock when the last committed batch began
 * @param exportedAt when the snapshot was exported; empty for a checkpoint
 * @param stages the watermarks with their substreams, the operators with state, and the sources
 * @param json all of this as JSON on one line; times in epoch ms
 */
public record Inspection(
    String path,
    String query,
    String queryId,
    long batchId,
    Optional<Long> begun,
    Instant batchTime,
    Optional<Instant> exportedAt,
    List<InspectedStage> stages,
    String json) {

  static Inspection of(tidegate.snapshot.Inspection found) {
    return new Inspection(
        found.path(),
        found.query(),
        found.queryId(),
        found.batchId(),
        Converters.optional(found.begun(), Long.class),
        found.batchTime(),
        Converters.optional(found.exportedAt()),
        Converters.list(found.stages(), InspectedStage::of),
        found.json());
  }
}
