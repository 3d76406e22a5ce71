package tidegate.javaapi;

import java.time.Instant;
import java.util.Optional;

/**
 * A part of a query, as a checkpoint or a snapshot has it.
 *
 * @param stage its name
 * @param kind {@code watermark}, {@code substream}, {@code operator} or {@code source}
 * @param of the watermark of a substream; empty for other kinds
 * @param watermark of an operator, the one that decides which rows leave its state
 * @param idle whether a watermark is idle
 * @param keys the columns by which an operator finds its state
 * @param rows the rows in the state of an operator
 * @param bytes the size of its files
 * @param detail the policy of a watermark, the schema and the windows of an operator, the offset of
 *     a source
 */
public record InspectedStage(
    String stage,
    String kind,
    Optional<String> of,
    Optional<Instant> watermark,
    Optional<Boolean> idle,
    Optional<String> keys,
    Optional<Long> rows,
    Optional<Long> bytes,
    String detail) {

  static InspectedStage of(tidegate.snapshot.InspectedStage stage) {
    return new InspectedStage(
        stage.stage(),
        stage.kind(),
        Converters.optional(stage.of()),
        Converters.optional(stage.watermark()),
        Converters.optional(stage.idle(), Boolean.class),
        Converters.optional(stage.keys()),
        Converters.optional(stage.rows(), Long.class),
        Converters.optional(stage.bytes(), Long.class),
        stage.detail());
  }
}
