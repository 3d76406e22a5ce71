package tidegate.clock

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  CurrentBatchTimestamp,
  CurrentDate,
  CurrentTimestamp,
  FileSourceMetadataAttribute,
  LocalTimestamp
}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset => OffsetV2,
  SparkDataStream
}
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming.{Offset, Source}
import org.apache.spark.sql.tidegate.{
  LoggedBatch,
  MicroBatchExecution,
  SparkInternals,
  StreamProgress,
  StreamingExecutionRelation
}
import tidegate.errors.{CheckpointErrors, Conditions}
import tidegate.operators.StatefulOperators
import tidegate.plans.{AsyncCalls, KeyedWatermark}
import tidegate.settings.Settings

/**
 * A batch that an earlier run committed. What the batch saw was only on that run's driver, which
 * stopped before the next offset was written. So the batch is read once more. By contract its rows
 * are still there: Spark lets a source discard a batch only after the offset of the next one is
 * written.
 */
private[clock] final class CommittedBatch(
    query: MicroBatchExecution,
    clock: SparkDataStream,
    batchId: Long
) {

  private val session = SparkInternals.batchSession(query)

  /**
   * Runs the rows of the batch through the watermark nodes, which register what they see with the
   * clock; the rows themselves are dropped. Nodes over a stateful input are left out.
   *
   * @return
   *   when the batch was put together, in epoch ms; none if there is no batch to be read
   */
  def observe(): Option[Long] =
    logged.map { batch =>
      val (start, end) = (batch.start, batch.end)
      topmostNodes(query.logicalPlan).foreach { node =>
        try batch.run(plan(node, start, end, batch.timestampMs))
        catch {
          // An error that Tidegate raises in a batch is raised here too, and explains itself.
          case NonFatal(e) if query.isActive && !Conditions.isOwn(e) =>
            throw CheckpointErrors.lastBatchGone(batchId, node.spec.name, e)
        }
      }
      batch.timestampMs
    }

  private def logged: Option[LoggedBatch] =
    if (batchId < 0 || !isWanted) None else LoggedBatch.of(query, batchId)

  private def isWanted: Boolean =
    Settings.ObserveLastBatch.in(session.sessionState.conf)

  /** A node that contains another node runs that one as well. */
  private def topmostNodes(plan: LogicalPlan): Seq[KeyedWatermark] = plan match {
    case k: KeyedWatermark if !StatefulOperators.existIn(k.left) => Seq(k)
    case other => other.children.flatMap(topmostNodes)
  }

  private def plan(
      node: KeyedWatermark,
      start: StreamProgress,
      end: StreamProgress,
      timestampMs: Long
  ): LogicalPlan = {
    val columns = Seq(node.eventTime, node.observed) ++ node.substream
    val needed = node.output.filter(a => columns.exists(_.exprId == a.exprId))
    val filled = Project(needed, node).transform {
      case r: StreamingExecutionRelation =>
        r.source match {
          case source: Source if moved(source, start, end) =>
            readV1(r, source, start, end)
          case _ => LocalRelation(r.output, isStreaming = true)
        }
      case r: StreamingDataSourceV2ScanRelation =>
        r.stream match {
          case stream: MicroBatchStream if (stream ne clock) && moved(stream, start, end) =>
            val from = start.get(stream).map(own(stream, _)).getOrElse(stream.initialOffset())
            r.copy(startOffset = Some(from), endOffset = end.get(stream).map(own(stream, _)))
          case _ => LocalRelation(r.output, isStreaming = true)
        }
      // The files are those of the batch, whose calls may have ended otherwise.
      case calls: AsyncCalls => calls.copy(deadLetters = None)
    }
    filled.transformAllExpressions {
      case t: CurrentTimestamp =>
        CurrentBatchTimestamp(timestampMs, t.dataType, Some("UTC"))
      case t: LocalTimestamp =>
        CurrentBatchTimestamp(timestampMs, t.dataType, t.timeZoneId)
      case d: CurrentDate =>
        CurrentBatchTimestamp(timestampMs, d.dataType, d.timeZoneId)
    }
  }

  private def moved(source: SparkDataStream, start: StreamProgress, end: StreamProgress): Boolean =
    end.get(source).exists(e => start.get(source).forall(_.json != e.json))

  private def own(stream: MicroBatchStream, offset: OffsetV2): OffsetV2 =
    stream.deserializeOffset(offset.json)

  private def readV1(
      relation: StreamingExecutionRelation,
      source: Source,
      start: StreamProgress,
      end: StreamProgress
  ): LogicalPlan = {
    val from = start.get(source).map(_.asInstanceOf[Offset])
    val batch = SparkInternals.logical(source.getBatch(from, end(source).asInstanceOf[Offset]))
    val hasFileMetadata = relation.output.exists {
      case FileSourceMetadataAttribute(_) => true
      case _                              => false
    }
    val rows = batch.transformUp {
      case p: Project if hasFileMetadata =>
        p.copy(projectList = p.projectList ++ p.metadataOutput.filterNot(p.outputSet.contains))
      case l: LogicalRelation if hasFileMetadata => l.withMetadataColumns()
    }
    Project(
      relation.output.zip(rows.output).map { case (to, from) =>
        Alias(from, to.name)(exprId = to.exprId, explicitMetadata = Some(from.metadata))
      },
      rows
    )
  }
}
