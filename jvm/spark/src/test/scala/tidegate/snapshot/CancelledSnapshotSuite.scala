package tidegate
package snapshot

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** A query stops for a snapshot only when the snapshot is complete and was verified. */
class CancelledSnapshotSuite extends RestartTest {

  private val rows = (1 to 6).map(n => Seq(event("a", 10.0 * n), event("b", 10.0 * n - 3)))

  private def counts(in: DataFrame): DataFrame = in
    .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"))
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def newFolder(): String = TempFolders.create("cancelled").resolve("one").toString

  private def withRoom[T](bytes: Long)(body: => T): T = {
    SmallDisk.room.set(bytes)
    withConf(SmallDisk.Conf)(body)
  }

  private def refusal(body: => Any): String = intercept[AnalysisException](body).getMessage

  /**
   * An export during which the query commits one more batch; `before` is called before each copy.
   */
  private def overtaken(run: Run, folder: Path, path: String)(before: Int => Unit) = {
    var copies = 0
    val progress = new CopyProgress {
      override def begin(bytes: Long): Unit = {
        super.begin(bytes)
        copies += 1
        if (copies == 1) {
          addFile(folder, 3, rows(3))
          run.settle()
        }
        before(copies)
      }
    }
    new SnapshotExport(None, run.checkpoint.toString, Map.empty, None, path, spark, progress)
  }

  test("what the query does during the export is added to the snapshot") {
    val folder = EventFiles.of(rows.take(3): _*)
    val run = new Run(counts(stream(folder))).start().settle()
    val before = run.log.last.id
    val path = newFolder()
    val info = overtaken(run, folder, path)(_ => ()).cancelAndRun(run.query)
    assert(!run.query.isActive)
    assert(info.batchId > before)
    assert(verifySnapshot(path) === info)
    (4 until 6).foreach(n => addFile(folder, n, rows(n)))
    val undisturbed = new Run(counts(stream(folder))).start().settle().stop()
    val checkpoint = newFolder()
    startSnapshot(path, checkpoint)
    val next = new Run(counts(stream(folder)), Path.of(checkpoint)).start().settle().stop()
    // Batches without rows are where rows were waited for.
    def rowsOf(runs: Run*) = runs.flatMap(_.byBatch.values.flatten).sorted
    assert(rowsOf(run, next) === rowsOf(undisturbed))
  }

  test("a full disk stops no query, and leaves nothing behind") {
    val run = new Run(counts(stream(EventFiles.of(rows: _*)))).start().settle()
    withRoom(1000) {
      val folder = newFolder()
      val path = s"small:$folder"
      assert(
        refusal(cancelAndExportSnapshot(run.query, path)) ===
          s"[TIDEGATE_SNAPSHOT_NOT_WRITABLE] Files cannot be written to $path: No space left on " +
          s"device. Nothing was left in $path. Name a folder that this process may write to and " +
          "that has room, and call again. SQLSTATE: 58030"
      )
      assert(run.query.isActive)
      assert(!Files.exists(Path.of(folder)))
    }
    val _ = run.stop()
  }

  test("a state that cannot be read stops no query") {
    val run = new Run(counts(stream(EventFiles.of(rows: _*)))).start().settle()
    val file = run.checkpoint.resolve("state/1000/0/2.delta")
    Files.delete(file)
    val path = newFolder()
    assert(
      refusal(cancelAndExportSnapshot(run.query, path)).startsWith("[TIDEGATE_STATE_INCOMPLETE]")
    )
    assert(run.query.isActive && !Files.exists(Path.of(path)))
    val _ = run.stop()
  }

  test("if later batches cannot be added, the sentence says that the snapshot holds") {
    val folder = EventFiles.of(rows.take(3): _*)
    val run = new Run(counts(stream(folder))).start().settle()
    val before = run.log.last.id
    withRoom(Long.MaxValue) {
      val path = s"small:${newFolder()}"
      val exported = overtaken(run, folder, path)(copy => if (copy == 2) SmallDisk.room.set(0))
      assert(
        refusal(exported.cancelAndRun(run.query)) ===
          s"[TIDEGATE_SNAPSHOT_WITHOUT_LATER] The query `${run.query.id}` was stopped, and what it " +
          s"did after batch $before could not be added to the snapshot $path: No space left on " +
          s"device. The snapshot of batch $before is complete and valid. Export the checkpoint " +
          s"${run.checkpoint} to another folder to have the later batches too. SQLSTATE: 58030"
      )
      assert(!run.query.isActive)
      assert(verifySnapshot(path).batchId === before)
    }
  }
}
