package tidegate

import java.util.UUID

import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery}
import org.apache.spark.sql.{DataFrame, SparkSession}
import tidegate.paths.FolderCall
import tidegate.snapshot.{CheckCompatibility, Inspector, SnapshotExport, SnapshotStart, Snapshots}

/** The functions for [[SnapshotInfo snapshots]]: copies of everything that a query needs. */
trait SnapshotFunctions {

  /** What a folder of snapshots has. */
  type SnapshotInfo = snapshot.SnapshotInfo

  /**
   * Copies what a running query needs to continue after its last committed batch. The query goes on
   * meanwhile.
   *
   * {{{
   * exportSnapshot(query, "/snapshots/hourly-1")
   * }}}
   *
   * @param query
   *   a query in micro-batches, with or without keyed watermarks
   * @param path
   *   a folder that does not exist, or is empty, in any file system of Hadoop
   * @throws AnalysisException
   *   if the query does not run, if it has no committed batch, if the folder has files or cannot be
   *   written to, if a part of the state is missing, or if Spark removes files faster than they are
   *   copied. What was written is deleted
   */
  def exportSnapshot(query: StreamingQuery, path: String): SnapshotInfo =
    SnapshotExport.of(query, path).run()

  /**
   * The same for the checkpoint of a query that has stopped, or that runs in another application.
   *
   * @param output
   *   the folder to which a sink of files writes, so that the snapshot has the log of the sink;
   *   null: none
   */
  def exportSnapshot(checkpoint: String, path: String, output: String = null): SnapshotInfo =
    SnapshotExport.of(checkpoint, path, Option(output), SparkSession.active).run()

  /**
   * Copies what a query needs to continue, and stops the query when the copy was verified. What the
   * query has committed meanwhile is added.
   *
   * @throws AnalysisException
   *   as `exportSnapshot`, and if the query has no `checkpointLocation`: Spark deletes the
   *   checkpoint of such a query when it stops. The query goes on then. Also if what was committed
   *   meanwhile cannot be added: then the query has stopped, and the snapshot is good
   */
  def cancelAndExportSnapshot(query: StreamingQuery, path: String): SnapshotInfo =
    SnapshotExport.of(query, path).cancelAndRun(query)

  /**
   * Reads every file of a snapshot.
   *
   * @throws AnalysisException
   *   if the folder is no snapshot, or one of a newer version; if its export was cut off; or if a
   *   file is missing, was added or was changed
   */
  def verifySnapshot(path: String): SnapshotInfo =
    reading("verifySnapshot", path)(Snapshots.verify(path, _))

  /** What a snapshot or a checkpoint holds, and a part of it. */
  type Inspection = snapshot.Inspection
  type InspectedStage = snapshot.InspectedStage

  /**
   * What a snapshot or a checkpoint holds, without starting its query.
   *
   * {{{
   * inspectSnapshot("/snapshots/hourly-1").toDF(spark).show()
   * }}}
   *
   * @param countRows
   *   whether Spark reads the states, to count their rows
   * @throws AnalysisException
   *   if there is neither a snapshot nor a checkpoint, or no committed batch
   */
  def inspectSnapshot(path: String, countRows: Boolean = true): Inspection =
    reading("inspectSnapshot", path)(new Inspector(path, _).inspect(countRows))

  /**
   * Makes a checkpoint of a snapshot. A query that starts on it continues after the batch of the
   * snapshot, under an id of its own; the original may run beside it.
   *
   * {{{
   * startSnapshot("/snapshots/hourly-1", "/checkpoints/hourly-fork")
   * }}}
   *
   * @param snapshot
   *   a folder that `exportSnapshot` has written
   * @param checkpoint
   *   a folder that does not exist, or is empty
   * @param output
   *   the folder to which the new query writes, if its sink is one of files: it gets the log of the
   *   original, without which Spark's sink cannot go on with a later batch. The files of the
   *   original stay where they are. Null: none
   * @return
   *   the id of the new query
   * @throws AnalysisException
   *   if the folder is no complete snapshot, if a file was changed, or if there are files already
   */
  def startSnapshot(snapshot: String, checkpoint: String, output: String = null): UUID =
    new SnapshotStart(snapshot, checkpoint, Option(output), SparkSession.active).run()

  /** Whether a query can continue from a snapshot or a checkpoint, and how each of its stages. */
  type Compatibility = snapshot.Compatibility

  /**
   * How a query would continue from a snapshot or a checkpoint: in the words of a start, without a
   * start. No source is asked for rows, and nothing is written to the checkpoint.
   *
   * {{{
   * checkCompatibility("/snapshots/hourly-1", changed).stages.foreach(println)
   * }}}
   *
   * @param path
   *   the snapshot, or the checkpoint of a query that may run
   * @param query
   *   the query as it would be started
   * @param outputMode
   *   its output mode
   * @throws AnalysisException
   *   if there is neither a snapshot nor a checkpoint, or no committed batch
   */
  def checkCompatibility(
      path: String,
      query: DataFrame,
      outputMode: OutputMode = OutputMode.Append()
  ): Compatibility = FolderCall.reading("checkCompatibility", query.sparkSession, "path" -> path) {
    new CheckCompatibility(path, query, outputMode).run()
  }

  /**
   * The snapshots of a folder, the oldest first; exports that were cut off come before all others.
   *
   * @throws AnalysisException
   *   if there is no such folder
   */
  def snapshots(path: String): Seq[SnapshotInfo] =
    reading("snapshots", path)(Snapshots.list(path, _))

  /**
   * Deletes the oldest snapshots of a folder, and returns the others. Exports that were cut off
   * stay, because they may still go on.
   *
   * @param keep
   *   how many complete snapshots stay, 1 or more
   */
  def snapshots(path: String, keep: Int): Seq[SnapshotInfo] =
    FolderCall("snapshots", SparkSession.active, Seq("path" -> path))
      .running("Some snapshots may have been deleted: list them again.") {
        Snapshots.prune(path, keep, SparkSession.active)
      }

  private def reading[T](call: String, path: String)(body: SparkSession => T): T = {
    val session = SparkSession.active
    FolderCall.reading(call, session, "path" -> path)(body(session))
  }
}
