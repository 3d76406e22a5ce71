package tidegate
package snapshot

import java.io.FileNotFoundException
import java.nio.file.{Files, Path}
import java.security.MessageDigest
import java.util.concurrent.CountDownLatch

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Snapshots of stopped and of running queries, and what is refused. */
class SnapshotSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq("many exports of a query")

  private val rows = (1 to 12).map(n => Seq(event("a", 10.0 * n), event("b", 10.0 * n - 3)))

  private def counts(in: DataFrame): DataFrame = in
    .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"))
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def begun(files: Int): (Run, Path) = {
    val folder = EventFiles.of(rows.take(files): _*)
    (new Run(counts(stream(folder))).start().settle(), folder)
  }

  private def newFolder(): String = TempFolders.create("snapshots").resolve("one ä%20b").toString

  private def exported(): String = {
    val (run, _) = begun(3)
    val path = newFolder()
    exportSnapshot(run.stop().checkpoint.toString, path)
    path
  }

  private def refusal(body: => Any): String =
    intercept[AnalysisException](body).getMessage

  private def paths(folder: String): Seq[String] = {
    val all = Files.walk(Path.of(folder))
    try all.iterator.asScala.map(_.toString).toVector.sorted
    finally all.close()
  }

  test("a query is stopped and exported, and goes on from the snapshot with the same sink") {
    val folder = EventFiles.of(rows: _*)
    val undisturbed = new Run(counts(stream(folder))).start().settle().stop()
    val run = new Run(counts(stream(folder)))
    run.failIn = _ == 4
    run.start().awaitEnd()
    run.failIn = _ => false
    run.start()
    val path = newFolder()
    val info = cancelAndExportSnapshot(run.query, path)
    assert(!run.query.isActive)
    val checkpoint = newFolder()
    startSnapshot(path, checkpoint)
    val next = new Run(counts(stream(folder)), Path.of(checkpoint)).start().settle().stop()
    val before = run.byBatch.filter { case (id, _) => id <= info.batchId }
    assert(before ++ next.byBatch === undisturbed.byBatch)
  }

  test("a query with a sink of files goes on in another folder, beyond a compaction of the log") {
    val folder = EventFiles.of(rows.take(7): _*)
    def write(output: String, checkpoint: String) =
      counts(stream(folder))
        .selectExpr("window.end", "count")
        .writeStream
        .format("json")
        .option("checkpointLocation", checkpoint)
        .start(output)
    def answer(output: String) = spark.read
      .schema("end TIMESTAMP, count LONG")
      .json(output)
      .collect()
      .map(KeyedStreamTest.text)
      .sorted
      .toSeq
    val (output, checkpoint, path) = (newFolder(), newFolder(), newFolder())
    val original = write(output, checkpoint)
    original.processAllAvailable()
    exportSnapshot(original, path)
    val (forkOutput, fork) = (newFolder(), newFolder())
    startSnapshot(path, fork, forkOutput)
    (7 until 12).foreach(n => addFile(folder, n, rows(n)))
    val forked = write(forkOutput, fork)
    Seq(original, forked).foreach(_.processAllAvailable())
    Seq(original, forked).foreach(_.stop())
    val (before, after) = (answer(output), answer(forkOutput))
    assert(after === before.filter(_.takeWhile(_ != '|').toInt >= 70))
    assert(after.size === 5)
  }

  test("transformWithState reads the schemas of the fork, and not those of the original") {
    withConf(StateStoreKind.changelog.conf.toSeq: _*) {
      val folder = EventFiles.of(rows: _*)
      def frame = operators.BufferByTimer(
        stream(folder).withKeyedWatermark("time", "5 seconds", substream = Seq("sub"))
      )
      val run = new Run(frame)
      run.failIn = _ == 4
      run.start().awaitEnd()
      val (path, checkpoint) = (newFolder(), newFolder())
      exportSnapshot(run.checkpoint.toString, path)
      startSnapshot(path, checkpoint)
      val texts =
        paths(checkpoint).filter(_.contains("/_metadata/v2/")).filterNot(_.endsWith("crc"))
      val schemas = texts.map(Path.of(_)).filter(Files.isRegularFile(_)).map(Files.readString(_))
      assert(schemas.nonEmpty)
      assert(schemas.forall(text => text.contains(checkpoint) && !text.contains(path)))
      val wanted = new Run(frame).start().settle().stop()
      val fork = new Run(frame, Path.of(checkpoint)).start().settle().stop()
      assert(fork.byBatch === wanted.byBatch.filter { case (id, _) => id >= 4 })
    }
  }

  test("a file that the query removes meanwhile") {
    val (run, folder) = begun(3)
    val gone = run.checkpoint.resolve("state/1000/0/1.delta")
    val (path, checkpoint) = (new HadoopPath(newFolder()), run.checkpoint.toString)
    val files = new FileCopies(path, new Configuration, new CopyProgress)
    val wanted = new CheckpointFiles(checkpoint, spark).all
    assert(wanted.exists(_.from.toString.endsWith(gone.toString)))
    val kept = Files.readAllBytes(gone)
    Files.delete(gone)
    intercept[FileNotFoundException](files.copy(wanted))
    assert(refusal(exportSnapshot(run.query, newFolder())).contains("[TIDEGATE_STATE_INCOMPLETE]"))
    Files.write(gone, kept)
    addFile(folder, 3, rows(3))
    run.settle()
    val _ = exportSnapshot(run.query, newFolder())
  }

  test("many exports of a query that removes old files all the time") {
    withConf("spark.sql.streaming.minBatchesToRetain" -> "2") {
      val folder = EventFiles.of(rows: _*)
      (12 until 60).foreach(n =>
        addFile(folder, n, Seq(event("a", 10.0 * n), event("b", 10.0 * n)))
      )
      val undisturbed = new Run(counts(stream(folder))).start().settle().stop()
      val run = new Run(counts(stream(folder)))
      val isBegun = new CountDownLatch(1)
      run.failIn = { batch =>
        if (batch == 1) isBegun.countDown()
        false
      }
      run.start()
      isBegun.await()
      val infos = (1 to 5).map(_ => exportSnapshot(run.query, newFolder()))
      run.settle().stop()
      assert(run.byBatch === undisturbed.byBatch)
      infos.distinctBy(_.batchId).foreach { info =>
        assert(verifySnapshot(info.path) === info)
        val checkpoint = newFolder()
        startSnapshot(info.path, checkpoint)
        val fork = new Run(counts(stream(folder)), Path.of(checkpoint)).start().settle().stop()
        assert(fork.byBatch === undisturbed.byBatch.filter { case (id, _) => id > info.batchId })
      }
    }
  }

  test("snapshots of a folder are listed by age, and the oldest are deleted") {
    val (run, folder) = begun(3)
    val root = TempFolders.create("many")
    Files.createDirectory(root.resolve("other"))
    val infos = (3 to 5).map { n =>
      addFile(folder, n, rows(n))
      run.settle()
      exportSnapshot(run.query, root.resolve(s"at-$n").toString)
    }
    Files.createDirectory(root.resolve("cut"))
    Files.createFile(root.resolve("cut/tidegate.snapshot.begun"))
    def names(found: Seq[SnapshotInfo]) = found.map(info => Path.of(info.path).getFileName.toString)
    val listed = snapshots(root.toString)
    assert(names(listed) === Seq("cut", "at-3", "at-4", "at-5"))
    assert(listed.map(_.isComplete) === Seq(false, true, true, true))
    assert(listed.tail.map(_.batchId) === infos.map(_.batchId))
    assert(names(snapshots(root.toString, keep = 2)) === Seq("cut", "at-4", "at-5"))
    assert(root.toFile.list.toSet === Set("other", "cut", "at-4", "at-5"))
    assert(names(snapshots(root.toString, keep = 9)) === Seq("cut", "at-4", "at-5"))
    assert(
      refusal(
        snapshots(root.toString, keep = 0)
      ) === "[TIDEGATE_SNAPSHOT_KEEP] keep must be 1 or " +
        "more, found 0. To delete all snapshots, delete their folders. SQLSTATE: 22023"
    )
  }

  test("what is wrong with a path is said, and nothing is overwritten") {
    val (run, _) = begun(3)
    val there = TempFolders.create("there")
    Files.writeString(there.resolve("mine"), "keep me")
    assert(
      refusal(exportSnapshot(run.query, there.toString)) ===
        s"[TIDEGATE_SNAPSHOT_PATH_EXISTS] The folder $there exists and is not empty, and nothing " +
        "in it is overwritten. Name a folder that does not exist yet. SQLSTATE: 42710"
    )
    assert(refusal(cancelAndExportSnapshot(run.query, there.toString)).contains("PATH_EXISTS"))
    assert(run.query.isActive)
    assert(Files.readString(there.resolve("mine")) === "keep me")
    val file = there.resolve("mine/below").toString
    assert(refusal(exportSnapshot(run.query, file)).startsWith("[TIDEGATE_SNAPSHOT_NOT_WRITABLE]"))
    assert(
      refusal(verifySnapshot(there.toString)) ===
        s"[TIDEGATE_NO_SNAPSHOT] The folder $there is no snapshot: it lacks the file " +
        "tidegate.snapshot. Name a folder that exportSnapshot has written. SQLSTATE: 42K03"
    )
    assert(refusal(startSnapshot(there.toString, newFolder())).contains("[TIDEGATE_NO_SNAPSHOT]"))
    assert(refusal(verifySnapshot(newFolder())).contains("[TIDEGATE_NO_SNAPSHOT]"))
    assert(refusal(snapshots(newFolder())).contains("[TIDEGATE_NO_SNAPSHOT]"))
    assert(refusal(inspectSnapshot(there.toString)).contains("[TIDEGATE_NO_CHECKPOINT]"))
    assert(refusal(inspectSnapshot(newFolder())).contains("[TIDEGATE_NO_CHECKPOINT]"))
    val mine = there.resolve("mine").toString
    assert(refusal(inspectSnapshot(mine)).contains("[TIDEGATE_NO_CHECKPOINT]"))
    assert(refusal(snapshots(mine)).contains("[TIDEGATE_NO_SNAPSHOT]"))
  }

  test("an export into the checkpoint, and a start inside of the snapshot") {
    val (run, _) = begun(3)
    val inside = run.checkpoint.resolve("state/snap").toString
    def text(argument: String, call: String, target: String, source: String) =
      s"[TIDEGATE_PATHS_NOT_APART] The argument `$argument` of $call is $target, which is in the " +
        s"folder $source: what is written there would change what is copied. Name a folder " +
        "outside of it. SQLSTATE: 22023"
    val ofQuery = s"file:${run.checkpoint}"
    assert(
      refusal(exportSnapshot(run.query, inside)) === text("path", "exportSnapshot", inside, ofQuery)
    )
    assert(refusal(cancelAndExportSnapshot(run.query, inside)).contains("PATHS_NOT_APART"))
    assert(run.query.isActive && !Files.exists(Path.of(inside)))
    val path = newFolder()
    exportSnapshot(run.query, path)
    val checkpoint = s"$path/new"
    assert(
      refusal(startSnapshot(path, checkpoint)) ===
        text("checkpoint", "startSnapshot", checkpoint, path)
    )
    assert(refusal(startSnapshot(path, newFolder(), s"$path/out")).contains("`output`"))
    val _ = verifySnapshot(path)
  }

  test("a query that does not run, and one without a batch") {
    val (run, _) = begun(3)
    run.stop()
    assert(
      refusal(exportSnapshot(run.query, newFolder())) ===
        s"[TIDEGATE_SNAPSHOT_QUERY_NOT_RUNNING] The query `${run.query.id}` is not running. " +
        "Export its checkpoint instead: python -m tidegate snapshot export " +
        s"file:${run.checkpoint} PATH, or exportSnapshot with the checkpoint in place of the " +
        "query. SQLSTATE: 55000"
    )
    val temporary = counts(stream(EventFiles.of(rows: _*))).writeStream.format("noop").start()
    temporary.processAllAvailable()
    assert(
      refusal(cancelAndExportSnapshot(temporary, newFolder())) ===
        s"[TIDEGATE_TEMPORARY_CHECKPOINT] The query `${temporary.id}` was started without a " +
        "checkpointLocation, and Spark deletes its checkpoint when the query stops. Export the " +
        "running query with exportSnapshot, or start it with a checkpointLocation. SQLSTATE: 55000"
    )
    assert(temporary.isActive)
    val empty = new Run(counts(stream(EventFiles.of())))
    empty.start().settle()
    val path = newFolder()
    assert(
      refusal(exportSnapshot(empty.query, path)) ===
        s"[TIDEGATE_NOTHING_COMMITTED] The checkpoint file:${empty.checkpoint} has no committed " +
        "batch yet, so there is nothing to continue from. Wait for the first batch of its query. " +
        "SQLSTATE: 55000"
    )
    assert(!Files.exists(Path.of(path)))
  }

  test("a snapshot that was changed by hand, cut off, or made by a newer version") {
    def changed(change: Path => Unit): String = {
      val path = exported()
      change(Path.of(path))
      val found = refusal(verifySnapshot(path)).replace(path, "PATH")
      assert(
        refusal(startSnapshot(path, newFolder())).replace(path, "PATH").take(28) === found.take(28)
      )
      found
    }
    val state = "state/1000/0/2.delta"
    def text(what: String) =
      s"[TIDEGATE_SNAPSHOT_CHANGED] The snapshot PATH is not as it was exported: $what. Restore " +
        "these files, or use another snapshot. SQLSTATE: 55000"
    assert(changed(p => Files.delete(p.resolve(state))) === text(s"$state is missing"))
    assert(changed { p =>
      val bytes = Files.readAllBytes(p.resolve(state))
      bytes(9) = (bytes(9) + 1).toByte
      Files.delete(p.resolve("state/1000/0/.2.delta.crc"))
      Files.write(p.resolve(state), bytes)
    } === text(s"$state was changed"))
    assert(refusal(verifySnapshot {
      val path = exported()
      Files.writeString(Path.of(path).resolve("offsets/77"), "mine")
      path
    }).contains("offsets/77 was added"))
    assert(changed { p =>
      Files.delete(p.resolve(".tidegate.snapshot.crc"))
      val file = p.resolve("tidegate.snapshot")
      val before = Files.readString(file)
      Files.writeString(file, before.replace("\"batch\":", "\"batch\":1"))
    } === text("tidegate.snapshot was changed"))
    assert(
      changed { p =>
        Files.move(p.resolve("tidegate.snapshot"), p.resolve("tidegate.snapshot.begun"))
      } === "[TIDEGATE_SNAPSHOT_CUT_OFF] The copy into PATH was cut off before its end, so the " +
        "folder is not complete. Delete the folder, and copy again. SQLSTATE: 55000"
    )
    val newer = Manifest("q", "id", "c", 1L, None, 0L, 0L, Map.empty, None, Nil).text
    val json = newer.linesIterator.next().replace("Snapshot\":1", "Snapshot\":7")
    val digest = MessageDigest.getInstance("SHA-256").digest(json.getBytes)
    assert(
      changed { p =>
        Files.delete(p.resolve(".tidegate.snapshot.crc"))
        Files.writeString(p.resolve("tidegate.snapshot"), s"$json\n${Manifest.hex(digest)}\n")
      } === "[TIDEGATE_NEWER_SNAPSHOT] The snapshot PATH has format 7, and this version of " +
        "Tidegate reads up to format 1. Use the version of Tidegate that wrote the snapshot, or " +
        "a newer one. SQLSTATE: 0A000"
    )
  }

  test("a folder for a log of a sink, where there is no log") {
    val (path, checkpoint, output) = (exported(), newFolder(), newFolder())
    def text(location: String) =
      "[TIDEGATE_NO_SINK_LOG] The argument output is for the log of a sink of files, and " +
        s"$location has no such log. Leave output out; or export again, with the folder to which " +
        "the query writes files. SQLSTATE: 55000"
    assert(refusal(startSnapshot(path, checkpoint, output)) === text(path))
    assert(refusal(exportSnapshot(path, newFolder(), output)) === text(output))
    assert(!Files.exists(Path.of(checkpoint)) && !Files.exists(Path.of(output)))
  }

  test("times at the ends are shown") {
    val folder = EventFiles.of(Seq(event("a", -5), event("b", 5)), Seq(event("a", 25)))
    val flushed = stream(folder)
      .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"), flush = true)
      .groupBy(window(col("time"), "10 seconds"))
      .count()
    val run = new Run(flushed).runOnce(Trigger.AvailableNow())
    val found = inspectSnapshot(run.checkpoint.toString)
    val shown = found.toDF(spark).collect().toSeq
    assert(shown.size === found.stages.size)
    assert(found.stages.find(_.kind == "operator").flatMap(_.rows) === Some(0))
  }

  test("a query is not started on a snapshot, nor on half a copy") {
    val path = exported()
    val before = paths(path)
    def started(checkpoint: String) =
      refusal(new Run(counts(stream(EventFiles.of())), Path.of(checkpoint)).start())
    assert(
      started(path) === s"[TIDEGATE_SNAPSHOT_AS_CHECKPOINT] The checkpoint file:$path is a " +
        "snapshot, and a query that ran on it would change it. Make a checkpoint of it first: " +
        s"python -m tidegate snapshot start file:$path CHECKPOINT, or startSnapshot. " +
        "SQLSTATE: 55000"
    )
    assert(paths(path) === before)
    val half = newFolder()
    startSnapshot(path, half)
    Files.createFile(Path.of(half, "tidegate.snapshot.begun"))
    assert(started(half).startsWith("[TIDEGATE_SNAPSHOT_CUT_OFF]"))
    assert(refusal(startSnapshot(path, half)).startsWith("[TIDEGATE_SNAPSHOT_PATH_EXISTS]"))
  }

  test("a checkpoint that lacks a part of its state, and one of an unknown state store") {
    val (run, _) = begun(3)
    run.stop()
    Files.delete(run.checkpoint.resolve("state/1000/0/2.delta"))
    val path = newFolder()
    assert(
      refusal(exportSnapshot(run.checkpoint.toString, path)) ===
        "[TIDEGATE_STATE_INCOMPLETE] The checkpoint lacks files of the state in state/1000/0: " +
        "version 3 cannot be put together. The checkpoint is damaged; use an earlier " +
        "snapshot. SQLSTATE: 55000"
    )
    assert(!Files.exists(Path.of(path)))
    val last = run.checkpoint.resolve(s"offsets/${run.log.last.id}")
    Checkpoints.edit(last)(_.replace("HDFSBackedStateStoreProvider", "Other"))
    assert(
      refusal(exportSnapshot(run.checkpoint.toString, path))
        .startsWith("[TIDEGATE_SNAPSHOT_STATE_STORE]")
    )
  }

  test("a checkpoint in RocksDB that lacks a file of its state") {
    withConf(StateStoreKind.rocks.conf.toSeq: _*) {
      val run = begun(3)._1.stop()
      val gone = paths(run.checkpoint.toString).filter(_.matches(".*/SSTs/[^.].*"))
      assert(gone.nonEmpty)
      gone.foreach(path => Files.delete(Path.of(path)))
      val path = newFolder()
      val text = refusal(exportSnapshot(run.checkpoint.toString, path))
      assert(
        text.startsWith(
          s"[TIDEGATE_CHECKPOINT_FILE_GONE] The checkpoint ${run.checkpoint} lacks a file that " +
            "its last batch needs: "
        )
      )
      assert(text.contains(". The checkpoint is damaged; use an earlier snapshot."))
      assert(!Files.exists(Path.of(path)))
    }
  }

  test("queries without keyed watermarks have snapshots, too") {
    val folder = EventFiles.of(rows: _*)
    def frame = stream(folder)
      .withWatermark("time", "5 seconds")
      .groupBy(window(col("time"), "10 seconds"))
      .count()
    val run = new Run(frame)
    run.failIn = _ == 4
    run.start().awaitEnd()
    val (path, checkpoint) = (newFolder(), newFolder())
    exportSnapshot(run.checkpoint.toString, path)
    val stages = inspectSnapshot(path).stages
    assert(
      stages.map(s => (s.stage, s.kind)).take(2) === Seq(
        "spark" -> "watermark",
        "stateStoreSave" -> "operator"
      )
    )
    startSnapshot(path, checkpoint)
    val fork = new Run(frame, Path.of(checkpoint)).start().settle().stop()
    val wanted = new Run(frame).start().settle().stop()
    assert(fork.byBatch === wanted.byBatch.filter { case (id, _) => id >= 4 })
    assert(checkCompatibility(path, frame).isCompatible)
  }
}
