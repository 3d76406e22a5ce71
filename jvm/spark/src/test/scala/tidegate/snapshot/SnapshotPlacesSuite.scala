package tidegate
package snapshot

import java.io.IOException
import java.net.URI
import java.nio.file.{Files, Path}

import org.apache.hadoop.fs.{Path => HadoopPath, RawLocalFileSystem}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Local files under a scheme of their own, as a store of objects has one. */
final class OtherFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("other:///")
  override def getScheme: String = "other"
}

/** Where snapshots are, and what is said if they cannot be there. */
class SnapshotPlacesSuite extends RestartTest {

  private val rows = (1 to 8).map(n => Seq(event("a", 10.0 * n), event("b", 10.0 * n - 3)))

  private def counts(in: DataFrame): DataFrame = in
    .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"))
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def refusal(body: => Any): String = intercept[AnalysisException](body).getMessage

  private def newFolder(): Path = TempFolders.create("places").resolve("one")

  test("a snapshot in a file system under another scheme") {
    withConf("fs.other.impl" -> classOf[OtherFileSystem].getName) {
      val folder = EventFiles.of(rows: _*)
      val run = new Run(counts(stream(folder)))
      run.failIn = _ == 4
      run.start().awaitEnd()
      val path = s"other:${newFolder()}"
      val info = exportSnapshot(run.checkpoint.toString, path)
      assert(info.path === path)
      assert(verifySnapshot(path) === info)
      assert(snapshots(new HadoopPath(path).getParent.toString).map(_.batchId) === Seq(3L))
      assert(inspectSnapshot(path).stages.exists(s => s.kind == "operator" && s.rows.exists(_ > 0)))
      assert(checkCompatibility(path, counts(stream(folder))).isCompatible)
      val checkpoint = newFolder()
      startSnapshot(path, checkpoint.toString)
      val fork = new Run(counts(stream(folder)), checkpoint).start().settle().stop()
      val wanted = new Run(counts(stream(folder))).start().settle().stop()
      assert(fork.byBatch === wanted.byBatch.filter { case (id, _) => id >= 4 })
    }
  }

  test("a folder that cannot be written to") {
    val run = new Run(counts(stream(EventFiles.of(rows: _*)))).start().settle().stop()
    val file = TempFolders.create("places").resolve("mine")
    Files.writeString(file, "keep me")
    val path = file.resolve("below").toString
    val error = intercept[AnalysisException](exportSnapshot(run.checkpoint.toString, path))
    assert(error.getCause.isInstanceOf[IOException])
    assert(
      error.getMessage === s"[TIDEGATE_SNAPSHOT_NOT_WRITABLE] Files cannot be written to $path: " +
        s"${error.getCause.getMessage}. Nothing was left in $path. Name a folder that this " +
        "process may write to and that has room, and call again. SQLSTATE: 58030"
    )
    assert(Files.readString(file) === "keep me")
  }

  test("a state store whose files are not known") {
    val run = new Run(counts(stream(EventFiles.of(rows: _*)))).start().settle()
    val last = run.checkpoint.resolve(s"offsets/${run.log.last.id}")
    run.stop()
    Checkpoints.edit(last)(_.replace("HDFSBackedStateStoreProvider", "Other"))
    assert(
      refusal(exportSnapshot(run.checkpoint.toString, newFolder().toString)) ===
        s"[TIDEGATE_SNAPSHOT_STATE_STORE] The checkpoint ${run.checkpoint} keeps its state with " +
        "org.apache.spark.sql.execution.streaming.state.Other, whose files Tidegate does not " +
        "know. Snapshots are for HDFSBackedStateStoreProvider and RocksDBStateStoreProvider. " +
        "SQLSTATE: 0A000"
    )
  }

  test("a query without batches") {
    val rate = spark.readStream.format("rate").load()
    val query = rate.writeStream
      .format("noop")
      .option("checkpointLocation", newCheckpoint().toString)
      .trigger(Trigger.Continuous("1 hour"))
      .start()
    try
      assert(
        refusal(exportSnapshot(query, newFolder().toString)) ===
          s"[TIDEGATE_SNAPSHOT_NOT_IN_BATCHES] The query `${query.id}` does not run in " +
          "micro-batches, so it has no committed batch to export. Snapshots are for queries with " +
          "a trigger other than Trigger.Continuous. SQLSTATE: 0A000"
      )
    finally query.stop()
  }

  test("a query that removes files faster than they are copied") {
    val folder = EventFiles.of(rows.head)
    val run = new Run(counts(stream(folder))).start().settle()
    val checkpoint = run.checkpoint.toString
    var attempts = 0

    /** As soon as the files are known, a batch is committed, and Spark removes an old one. */
    val overtaken = new CopyProgress {
      override def begin(bytes: Long): Unit = {
        super.begin(bytes)
        attempts += 1
        val last = new CheckpointFiles(checkpoint, spark).batchId
        val next = 10.0 * (attempts + 1)
        addFile(folder, attempts, Seq(event("a", next), event("b", next)))
        run.settle()
        Files.delete(run.checkpoint.resolve(s"offsets/$last"))
      }
    }
    val path = newFolder()
    val exported =
      new SnapshotExport(None, checkpoint, Map.empty, None, path.toString, spark, overtaken)
    assert(
      refusal(exported.run()) === s"[TIDEGATE_SNAPSHOT_TOO_SLOW] The query on $checkpoint has " +
        "removed files of its state before they were copied, 10 times. Let Spark keep the files " +
        "of more batches with spark.sql.streaming.minBatchesToRetain, or stop the query and " +
        "export then. SQLSTATE: 55000"
    )
    assert(attempts === 10)
    assert(!Files.exists(path))
  }

  test("the log has a line for each tenth of a large copy") {
    val total = 100L << 20
    assert(CopyProgress.line(0, total / 10 - 1, total) === None)
    assert(
      CopyProgress.line(total / 10 - 1, total / 10, total) ===
        Some(s"Copied 10 % of $total bytes.")
    )
    assert(CopyProgress.line(total - 1, total, total) === Some(s"Copied 100 % of $total bytes."))
    assert(CopyProgress.line(0, 1000, 1000) === None)
  }
}
