package tidegate

import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}
import tidegate.clock.{ClockSight, ClockTable, QuerySight, SightJson}
import tidegate.core.sight.BatchSight

/**
 * What a batch of a query did to time.
 *
 * @param batchId
 *   the number of the batch
 * @param wallClock
 *   the wall clock when the batch had ended
 * @param batchTime
 *   the wall clock when the batch was put together: `current_timestamp()` in it
 * @param inputRows
 *   how many rows the batch read from the sources
 * @param watermarks
 *   the keyed watermarks at the end of the batch, by the name that they were given
 * @param operators
 *   the stateful operators, by names such as `aggregate`. A join has one for each side, `join.left`
 *   and `join.right`
 */
final case class BatchProgress(
    batchId: Long,
    wallClock: Instant,
    batchTime: Instant,
    inputRows: Long,
    watermarks: Map[String, WatermarkProgress],
    operators: Map[String, OperatorProgress]
)

object BatchProgress {

  /** The last batches of a query, the oldest first. */
  private[tidegate] def of(query: StreamingQuery, last: Int): Seq[BatchProgress] =
    QuerySight.of(query).memory.batches.takeRight(last).map(of)

  /** What the progress of a batch says, as Spark tells it. */
  private[tidegate] def of(progress: StreamingQueryProgress): Option[BatchProgress] = for {
    clock <- progress.sources.find(_.description == ClockTable.Name)
    text <- clock.metrics.asScala.get(ClockSight.Metric)
    batch <- SightJson.read(text)
  } yield of(batch)

  private def of(batch: BatchSight): BatchProgress = BatchProgress(
    batch.batchId,
    Instant.ofEpochMilli(batch.wallClockMs),
    Instant.ofEpochMilli(batch.batchTimeMs),
    batch.inputRows,
    batch.watermarks.transform((_, w) => WatermarkProgress.of(w, batch.wallClockMs)),
    batch.operators.transform((_, o) => OperatorProgress.of(o))
  )
}
