package tidegate.snapshot

import java.nio.file.Files
import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.tidegate.{CheckpointLogs, OffsetEntries, SparkInternals, UnseenQuery}
import tidegate.clock.RunningQuery

/**
 * Why a query does not start.
 *
 * @param query
 *   the query, if the start came as far as to plan it and the query has keyed watermarks
 */
private[snapshot] final case class Refusal(cause: Throwable, query: Option[RunningQuery])

/**
 * A start of a query that goes as far as the plan of its first batch: on a copy of the checkpoint
 * without the states, and with a batch that has no rows. No source is asked for rows, nothing is
 * written but the copy, and nobody hears of the query.
 */
private[snapshot] final class TriedStart(
    checkpoint: CheckpointFiles,
    df: DataFrame,
    mode: OutputMode
) {
  import TriedStart._

  private val session = df.sparkSession
  private val hadoopConf = SparkInternals.hadoopConf(session)
  private val folder = Files.createTempDirectory("tidegate-start")

  /** The copy of the checkpoint. */
  val copy: String = s"file:$folder"

  /**
   * @param look
   *   what to do with the query when the batch was planned, if it has keyed watermarks
   * @return
   *   why the query does not start, or what was seen
   */
  def run[T](look: Option[RunningQuery] => T): Either[Refusal, T] =
    try {
      prepare()
      plan() match {
        case Left(refusal) => Left(refusal)
        case Right(query)  => Right(look(query))
      }
    } finally {
      val root = new Path(copy)
      val _ = root.getFileSystem(hadoopConf).delete(root, true)
    }

  private def prepare(): Unit = {
    val files = checkpoint.described.filterNot(_.target == "metadata")
    val _ = new FileCopies(new Path(copy), hadoopConf, new CopyProgress).copy(files)
    // The original may be running under its own id.
    new CheckpointLogs(copy, session).writeQueryId(UUID.randomUUID())
    OffsetEntries.beginEmptyBatch(session, new Path(copy, "offsets"), checkpoint.batchId)
  }

  private def plan(): Either[Refusal, Option[RunningQuery]] =
    try {
      val query = UnseenQuery.start(df, copy, mode)((_, _) => throw new Planned)
      try ended(query)
      finally query.stop()
    } catch { case NonFatal(e) => Left(Refusal(e, None)) }

  private def ended(query: StreamingQuery): Either[Refusal, Option[RunningQuery]] =
    try {
      query.awaitTermination()
      Left(Refusal(new IllegalStateException("the query has planned no batch"), None))
    } catch {
      case e: StreamingQueryException if causes(e).exists(_.isInstanceOf[Planned]) =>
        Right(planned(query))
      case e: StreamingQueryException =>
        Left(Refusal(causes(e).lift(1).getOrElse(e), planned(query)))
    }

  private def planned(query: StreamingQuery): Option[RunningQuery] =
    SparkInternals.execution(query).flatMap(RunningQuery.of)

  private def causes(e: Throwable): Seq[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq
}

private object TriedStart {

  /** Ends the query when its batch was planned. */
  private final class Planned
      extends RuntimeException("The start was only tried: its first batch was planned.")
}
