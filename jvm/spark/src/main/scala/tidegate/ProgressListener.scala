package tidegate

import java.util.UUID

import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._

/**
 * Is told what each batch of each query with keyed watermarks did to time.
 *
 * {{{
 * spark.streams.addListener(new ProgressListener {
 *   override def onBatch(query: QueryRun, batch: BatchProgress): Unit =
 *     println(batch.watermarks("orders").lagMs)
 * })
 * }}}
 *
 * Queries without keyed watermarks, and triggers without a batch, are left out. The other methods
 * of Spark's listener can be overridden too; `onQueryProgress` calls `onBatch`.
 */
abstract class ProgressListener extends StreamingQueryListener {

  /** A batch has ended. */
  def onBatch(query: QueryRun, batch: BatchProgress): Unit

  override def onQueryProgress(event: QueryProgressEvent): Unit = {
    val run = QueryRun(Option(event.progress.name), event.progress.id, event.progress.runId)
    BatchProgress.of(event.progress).foreach(onBatch(run, _))
  }

  override def onQueryStarted(event: QueryStartedEvent): Unit = ()

  override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ()
}

/**
 * The run of a query that a listener is told of.
 *
 * @param name
 *   the name of the query, if it has one
 * @param id
 *   the same for all runs on its checkpoint
 * @param runId
 *   that of this run
 */
final case class QueryRun(name: Option[String], id: UUID, runId: UUID)
