package tidegate.javaapi;

import java.time.Instant;
import java.util.Map;

/**
 * What a batch of a query did to time.
 *
 * @param batchId the number of the batch
 * @param wallClock the wall clock when the batch had ended
 * @param batchTime the wall clock when the batch was put together: {@code current_timestamp()} in it
 * @param inputRows how many rows the batch read from the sources
 * @param watermarks the keyed watermarks at the end of the batch, by the name that they were given
 * @param operators the stateful operators, by names such as {@code aggregate}. A join has one for
 *     each side, {@code join.left} and {@code join.right}
 */
public record BatchProgress(
    long batchId,
    Instant wallClock,
    Instant batchTime,
    long inputRows,
    Map<String, WatermarkProgress> watermarks,
    Map<String, OperatorProgress> operators) {

  static BatchProgress of(tidegate.BatchProgress batch) {
    return new BatchProgress(
        batch.batchId(),
        batch.wallClock(),
        batch.batchTime(),
        batch.inputRows(),
        Converters.map(batch.watermarks(), WatermarkProgress::of),
        Converters.map(batch.operators(), OperatorProgress::of));
  }
}
