package tidegate.sources

import scala.collection.mutable

import org.apache.spark.sql.connector.read.streaming.{
  CompositeReadLimit,
  ReadLimit,
  ReadMaxFiles,
  ReadMinRows,
  SparkDataStream,
  SupportsAdmissionControl,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.execution.datasources.v2.MicroBatchScanExec
import org.apache.spark.sql.execution.datasources.v2.python.{
  PythonMicroBatchStream,
  PythonStreamingInputPartition
}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelationWithTable}
import org.apache.spark.sql.tidegate.StreamExecutionContext

/**
 * Whether the rounds of a query have read all that a source had. Rows that wait to be read are not
 * silence, so where it cannot be known, the answer is no.
 *
 *   - A source that reports its latest offset has been read up to there, or not.
 *   - A source that cannot limit its batches gives all that it has: Spark takes its answer for the
 *     report too. Python's simple readers are the exception: an answer is what one `read` found.
 *   - A source with a limit, and without a report, has given all when it gives nothing new.
 *   - A folder has given all, too, when a batch has fewer files than the limit. Not the batch after
 *     one with as many files as the limit: Spark may have cut both from one listing of the folder,
 *     made before the newest files were there.
 *   - A source that waits for a number of rows may keep fewer to itself.
 *
 * It remembers the batches of files, so it has to be asked once about each round, in their order.
 *
 * @param endsByItself
 *   whether the run ends with what there was at its start
 */
private[tidegate] final class ReadUp(endsByItself: => Boolean) {

  /** The folders whose last batch had as many files as allowed. */
  private val full = mutable.Set.empty[SparkDataStream]

  /** Whether a round has read all that its sources had when they were asked. */
  def apply(round: StreamExecutionContext, sources: Seq[SparkDataStream]): Boolean =
    sources.map(isRead(round, _)).forall(identity)

  /** Whether a round has given something to read from a source. */
  def hasMoved(round: StreamExecutionContext, source: SparkDataStream): Boolean =
    round.startOffsets.get(source).forall(_.json != round.endOffsets(source).json)

  /** Whether a source has reported rows that are not read, and has given none in a round. */
  def withholds(round: StreamExecutionContext, source: SparkDataStream): Boolean =
    !hasMoved(round, source) && round.latestOffsets.get(source).exists { reported =>
      round.endOffsets.get(source).forall(_.json != reported.json)
    }

  private def isRead(round: StreamExecutionContext, source: SparkDataStream): Boolean = {
    val limit = limitOf(source)
    val isAfterFull = full(source)
    if (hasMoved(round, source) && limit.exists(isFilled(round, source, _))) full += source
    else full -= source
    if (isSimpleReader(round, source)) !endsByItself && !hasMoved(round, source)
    // Spark asks it once, at the start, and takes what it has by now for its report.
    else if (endsByItself && !source.isInstanceOf[SupportsTriggerAvailableNow])
      !hasMoved(round, source)
    else
      round.latestOffsets.get(source) match {
        case Some(reported) => round.endOffsets.get(source).exists(_.json == reported.json)
        case None           =>
          limit.forall { l =>
            !waits(l) &&
            (!hasMoved(round, source) || (isOfFiles(l) && !isAfterFull && !full(source)))
          }
      }
  }

  private def limitOf(source: SparkDataStream): Option[ReadLimit] = source match {
    case s: SupportsAdmissionControl =>
      Some(s.getDefaultReadLimit).filter(_ != ReadLimit.allAvailable())
    case _ => None
  }

  private def isOfFiles(limit: ReadLimit): Boolean = limit.isInstanceOf[ReadMaxFiles]

  private def waits(limit: ReadLimit): Boolean = limit match {
    case _: ReadMinRows        => true
    case c: CompositeReadLimit => c.getReadLimits.exists(waits)
    case _                     => false
  }

  /** A reader with an offset of its own gives partitions to read, a simple one the rows it read. */
  private def isSimpleReader(round: StreamExecutionContext, source: SparkDataStream): Boolean =
    source.isInstanceOf[PythonMicroBatchStream] && !Option(round.executionPlan).exists {
      _.executedPlan.exists {
        case scan: MicroBatchScanExec if scan.stream eq source =>
          scan.inputPartitions.forall {
            case PythonStreamingInputPartition(_, _, None) => true
            case _                                         => false
          }
        case _ => false
      }
    }

  /** Also if the number of files is not known. */
  private def isFilled(
      round: StreamExecutionContext,
      source: SparkDataStream,
      limit: ReadLimit
  ): Boolean = limit match {
    case l: ReadMaxFiles => filesRead(round, source).forall(_ >= l.maxFiles())
    case _               => false
  }

  /** The number of files of a batch, if it has run and its source reads files. */
  private def filesRead(round: StreamExecutionContext, source: SparkDataStream): Option[Int] =
    for {
      batches <- Option(round.newData)
      plan <- batches.get(source)
      files = plan.collect { case LogicalRelationWithTable(r: HadoopFsRelation, _) =>
        r.location.inputFiles.length
      }
      if files.nonEmpty
    } yield files.sum
}
