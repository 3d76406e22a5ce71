package tidegate
package paths

import java.io.{FileNotFoundException, IOException, UncheckedIOException}
import java.net.UnknownHostException
import java.nio.file.{AccessDeniedException, Files}

import scala.concurrent.Future

import org.apache.spark.SparkException
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, Row}
import tidegate.errors.{FileReason, SnapshotErrors}
import tidegate.snapshot.SmallDisk

/** What file systems say becomes one sentence, in each call that takes a folder. */
class FolderCallSuite extends KeyedStreamTest {

  private val folder = TempFolders.create("calls").toString
  private val call = FolderCall("verifySnapshot", spark, Seq("path" -> folder))

  private def refusal(body: => Any): String = intercept[AnalysisException](body).getMessage

  private def unusable(call: String, argument: String, found: String, reason: String): String =
    s"[TIDEGATE_PATH_UNUSABLE] The argument `$argument` of $call is '$found', and no files can be " +
      s"looked for there: $reason. Name a folder that this process can reach, such as '/data/one' " +
      "or 's3a://bucket/one'. SQLSTATE: 22023"

  private def failed(left: String): String =
    s"[TIDEGATE_PATH_FAILED] verifySnapshot failed at $folder: No space left on device. $left " +
      "Check the disk, the host and the rights there, and try again. SQLSTATE: 58030"

  private val full = new IOException("No space left on device")

  test("a fault in the middle of a call says what was left behind") {
    assert(refusal(call.run(throw full)) === failed("Nothing was written."))
    val target = s"$folder/target"
    val writing = call.copy(target = Some(target))
    assert(refusal(writing.run(throw full)) === failed(s"Nothing was left in $target."))
    def half(): Unit = {
      Files.createDirectories(java.nio.file.Path.of(target, "half"))
      throw new UncheckedIOException(full)
    }
    assert(
      refusal(writing.run(half())) ===
        failed(s"Files were left in $target: delete that folder.")
    )
  }

  test("a sentence stays as it is, and so does what is no fault of files") {
    val own = SnapshotErrors.noSnapshot("x")
    assert(intercept[AnalysisException](call.run(throw own)) eq own)
    val other = new IllegalStateException("a bug")
    assert(intercept[IllegalStateException](call.run(throw other)) eq other)
  }

  test("reasons") {
    def reason(e: Throwable) = FileReason.of(e)
    assert(
      reason(
        new RuntimeException(new UnknownHostException("nowhere"))
      ) === "the host nowhere is not known"
    )
    assert(reason(new AccessDeniedException("/x")) === "access to /x is denied")
    assert(reason(new IOException("outer", new IOException("inner.\n at x"))) === "inner")
    assert(reason(new IOException) === "IOException")
    assert(
      reason(new IOException("Mkdirs failed to create /x (exists=false, cwd=file:/y)")) ===
        "the folder /x cannot be made"
    )
    assert(
      reason(SnapshotErrors.keep(0)) ===
        "keep must be 1 or more, found 0. To delete all snapshots, delete their folders"
    )
    assert(reason(new FileNotFoundException("/x (Is a directory)")) === "/x (Is a directory)")
  }

  private val nowhere = "hdfs://nowhere.invalid/x"

  private def calls(path: String): Seq[(String, String, () => Any)] = Seq(
    ("exportSnapshot", "checkpoint", () => exportSnapshot(path, folder)),
    ("exportSnapshot", "path", () => exportSnapshot(folder, path)),
    ("exportSnapshot", "output", () => exportSnapshot(folder, s"$folder/new", path)),
    ("startSnapshot", "snapshot", () => startSnapshot(path, folder)),
    ("startSnapshot", "checkpoint", () => startSnapshot(folder, path)),
    ("startSnapshot", "output", () => startSnapshot(folder, s"$folder/new", path)),
    ("verifySnapshot", "path", () => verifySnapshot(path)),
    ("inspectSnapshot", "path", () => inspectSnapshot(path)),
    ("checkCompatibility", "path", () => checkCompatibility(path, spark.range(1).toDF())),
    ("snapshots", "path", () => snapshots(path)),
    ("snapshots", "path", () => snapshots(path, keep = 1)),
    ("adopt", "checkpoint", () => adopt(path, spark.range(1).toDF())),
    ("adopt", "checkpoint", () => new PythonFacade().markForAdoption(path)),
    ("release", "checkpoint", () => release(path))
  )

  test("an empty path, a host and a file system that are not there, in each call") {
    Seq(
      " " -> "the path is empty",
      nowhere -> "the host nowhere.invalid is not known",
      "tape://x/y" -> "No FileSystem for scheme \"tape\""
    ).foreach { case (path, reason) =>
      calls(path).foreach { case (call, argument, run) =>
        assert(refusal(run()) === unusable(call, argument, path, reason))
      }
    }
  }

  test("a release on a full disk leaves the checkpoint as it was") {
    val settings = Seq("adopt.watch" -> "0 seconds", "windows.enabled" -> "false")
    val all = SmallDisk.Conf +: settings.map { case (key, value) =>
      s"spark.tidegate.$key" -> value
    }
    withConf(all: _*) {
      val in = events()
      val run = new Run(
        in.toDF()
          .withKeyedWatermark("time", "2 seconds")
          .groupBy(window(col("time"), "10 seconds"))
          .count()
      ).start()
      in.addData(event("a", 60))
      run.settle().stop()
      val checkpoint = s"small:${run.checkpoint}"
      SmallDisk.room.set(0)
      assert(
        refusal(release(checkpoint)) ===
          s"[TIDEGATE_PATH_FAILED] release failed at $checkpoint: No space left on device. The " +
          "checkpoint stays as it was, or has the whole new log. Check the disk, the host and " +
          "the rights there, and try again. SQLSTATE: 58030"
      )
      assert(!Files.exists(run.checkpoint.resolve("offsets.tidegate")))
      in.addData(event("a", 70))
      val _ = run.start().settle().stop()
      SmallDisk.room.set(Long.MaxValue)
      assert(release(checkpoint).isDefined)
    }
  }

  private def inTask(what: String, path: String): String =
    s"[TIDEGATE_PATH_FAILED] $what failed at $path: No space left on device. The batch has failed, " +
      "and what it has written there is replaced when it runs again. Check the disk, the host and " +
      "the rights there, and try again. SQLSTATE: 58030"

  test("late rows and dead letters on a full disk") {
    withConf(SmallDisk.Conf) {
      SmallDisk.room.set(0)
      val in = events()
      val late = s"small:$folder/late"
      val run = new Run(
        in.toDF()
          .withKeyedWatermark("time", "2 seconds", lateRows = late)
          .groupBy(window(col("time"), "10 seconds"))
          .count()
      ).start()
      in.addData(event("a", 60))
      run.settle()
      in.addData(event("a", 1))
      val ofQuery = intercept[StreamingQueryException](run.settle()).getMessage
      assert(ofQuery.contains(inTask("Writing late rows", late)))
      val letters = s"small:$folder/letters"
      val failing = spark
        .range(1)
        .toDF()
        .mapAsync(
          StructType.fromDDL("id long"),
          retries = 0,
          onError = "dead letter",
          deadLetters = letters
        ) { _ =>
          Future.failed[Row](new IllegalStateException("no answer"))
        }
      val ofTask = intercept[SparkException](failing.collect()).getMessage
      assert(ofTask.contains(inTask("Writing dead letters", letters)))
    }
  }
}
