package tidegate.javaapi;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import tidegate.package$;
import tidegate.snapshot.SnapshotInfo;

/**
 * Snapshots: copies of everything that a query needs to continue.
 *
 * <pre>{@code
 * SnapshotInfo snapshot = Snapshots.exportSnapshot(query, "/snapshots/hourly-1");
 * Snapshots.startSnapshot(snapshot.path(), "/checkpoints/hourly-fork");
 * }</pre>
 *
 * <p>Folders may be in any file system of Hadoop. Each method throws an {@code AnalysisException}
 * if a folder does not hold, or cannot take, what the method needs.
 */
public final class Snapshots {

  private static final package$ SCALA = package$.MODULE$;

  private Snapshots() {}

  /**
   * Copies what a running query needs to continue after its last committed batch. The query goes on
   * meanwhile.
   *
   * @param query a query in micro-batches, with or without keyed watermarks
   * @param path a folder that does not exist, or is empty
   */
  public static SnapshotInfo exportSnapshot(StreamingQuery query, String path) {
    return SCALA.exportSnapshot(query, path);
  }

  /** The same for the checkpoint of a query that has stopped, or runs in another application. */
  public static SnapshotInfo exportSnapshot(String checkpoint, String path) {
    return exportSnapshot(checkpoint, path, null);
  }

  /**
   * The same for a query with a sink of files.
   *
   * @param output the folder to which the sink writes, so that the snapshot has the log of the
   *     sink; null: none
   */
  public static SnapshotInfo exportSnapshot(String checkpoint, String path, String output) {
    return SCALA.exportSnapshot(checkpoint, path, output);
  }

  /**
   * Copies what a query needs to continue, and stops the query when the copy was verified. What the
   * query has committed meanwhile is added. Nothing that fails stops the query; if only the last
   * part fails, the error says so, and the snapshot is good.
   */
  public static SnapshotInfo cancelAndExportSnapshot(StreamingQuery query, String path) {
    return SCALA.cancelAndExportSnapshot(query, path);
  }

  /** Reads every file of a snapshot, and compares its size and checksum. */
  public static SnapshotInfo verifySnapshot(String path) {
    return SCALA.verifySnapshot(path);
  }

  /**
   * Makes a checkpoint of a snapshot, for a query under an id of its own; the original may run
   * beside it.
   *
   * @param snapshot a folder that {@code exportSnapshot} has written
   * @param checkpoint a folder that does not exist, or is empty
   * @return the id of the new query
   */
  public static UUID startSnapshot(String snapshot, String checkpoint) {
    return startSnapshot(snapshot, checkpoint, null);
  }

  /**
   * The same for a query with a sink of files.
   *
   * @param output the folder to which the new query writes: it gets the log of the original; null:
   *     none
   */
  public static UUID startSnapshot(String snapshot, String checkpoint, String output) {
    return SCALA.startSnapshot(snapshot, checkpoint, output);
  }

  /** What a snapshot or a checkpoint holds, without a start of its query. */
  public static Inspection inspectSnapshot(String path) {
    return inspectSnapshot(path, true);
  }

  /**
   * As {@link #inspectSnapshot(String)}.
   *
   * @param countRows whether Spark reads the states, to count their rows
   */
  public static Inspection inspectSnapshot(String path, boolean countRows) {
    return Inspection.of(SCALA.inspectSnapshot(path, countRows));
  }

  /** As the other {@code checkCompatibility}, in output mode append. */
  public static Compatibility checkCompatibility(String path, Dataset<Row> query) {
    return checkCompatibility(path, query, OutputMode.Append());
  }

  /**
   * How a query would continue from a snapshot or a checkpoint: in the words of a start, without a
   * start. No source is asked for rows, and nothing is written to the checkpoint.
   *
   * @param path the snapshot, or the checkpoint of a query that may run
   * @param query the query as it would be started
   * @param outputMode its output mode
   */
  public static Compatibility checkCompatibility(
      String path, Dataset<Row> query, OutputMode outputMode) {
    return Compatibility.of(SCALA.checkCompatibility(path, query, outputMode));
  }

  /** The snapshots of a folder, the oldest first; exports that were cut off come before them. */
  public static List<SnapshotInfo> snapshots(String path) {
    return Converters.list(SCALA.snapshots(path), Function.identity());
  }

  /**
   * Deletes the oldest snapshots of a folder, and returns the others. Exports that were cut off
   * stay, because they may still go on.
   *
   * @param keep how many complete snapshots stay, 1 or more
   */
  public static List<SnapshotInfo> snapshots(String path, int keep) {
    return Converters.list(SCALA.snapshots(path, keep), Function.identity());
  }
}
