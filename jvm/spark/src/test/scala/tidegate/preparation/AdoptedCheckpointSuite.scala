package tidegate
package preparation

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.{AnalysisException, DataFrame}

/**
 * Checkpoints of queries without Tidegate, from which keyed queries continue, and the way back. The
 * same query without a stop in between is the oracle.
 */
class AdoptedCheckpointSuite extends AdoptionTest {

  override protected def atNight: Seq[String] = Seq(
    "after 2 files",
    "after 3 files",
    "a left outer join after 1 files",
    "of format 2, by names",
    "after 1 files",
    "that was killed before its last",
    "adopted by a call",
    "after 5 files"
  )

  private val all: (String, DataFrame => DataFrame) =
    s"a query of ${queries.map(_._1).mkString(", ")}" ->
      (in => Branches.of(queries.map { case (title, query) => title -> query(in) }))

  for {
    (title, query) <- Seq(queries.head, all)
    files <- 1 until rows.size if title == "windows" || files % 3 == 1
  } test(s"$title after $files files go on with keyed watermarks, and back") {
    checkThereAndBack(query, files)
  }

  test("operators of Spark 3, whose states have no names") {
    val (_, query) = all
    val wanted = ofSpark(query, 3, 4)
    val (run, folder) = begun(query, 3)
    Checkpoints.removeOperatorNames(run.checkpoint)
    for (files <- Seq(3 until 4, 4 until rows.size)) {
      files.foreach(n => addFile(folder, n, rows(n)))
      replacing(adopting)(run.start().settle().stop())
    }
    assert(run.answer === wanted)
    assert(Branches.answers(run.rows).keySet === queries.map(_._1).toSet)
  }

  Seq(true, false).foreach { isBefore =>
    test(s"a query that was killed ${if (isBefore) "before" else "after"} its last commit") {
      val (title, query) = queries.head
      val wanted = ofSpark(query, 4)
      val (run, folder) = begun(query, 4)
      if (isBefore) Checkpoints.removeLastCommit(run.checkpoint)
      rows.indices.drop(4).foreach(n => addFile(folder, n, rows(n)))
      replacing(adopting)(assert(run.start().settle().stop().answer === wanted, title))
    }
  }

  private val (_, windows) = queries.head

  private val format2 = "spark.sql.streaming.offsetLog.formatVersion" -> "2"

  /** Two sources: the clock is between them. */
  private def two(folders: Seq[Path], source: (Path, String) => DataFrame): DataFrame = {
    val streams = folders.zip(Seq("l", "r")).map { case (folder, name) => source(folder, name) }
    watched(streams.head).union(watched(streams.last)).dropDuplicates("time", "n", "sub")
  }

  private def named(folder: Path, name: String): DataFrame = NamedSources
    .named(spark.readStream, name)
    .schema(KeyedStreamTest.eventEncoder.schema)
    .json(folder.toString)

  private val evolution = "spark.sql.streaming.queryEvolution.enableSourceEvolution" -> "true"

  for (
    (title, source, settings) <- Seq(
      ("by places", (folder: Path, _: String) => stream(folder), Seq(format2)),
      ("by names", named _, Seq(format2, evolution))
    )
  )
    test(s"a log of format 2, $title") {
      assume(NamedSources.areThere || title != "by names")
      withConf(settings: _*) {
        def answer(isAdopted: Boolean): Seq[String] = {
          val folders = Seq.fill(2)(EventFiles.of())
          val run = new Run(two(folders, source))
          def next(files: Range): Unit = {
            for (folder <- folders; n <- files) addFile(folder, n, rows(n))
            val _ = run.start().settle().stop()
          }
          next(0 until 3)
          if (isAdopted) replacing(adopting)(next(3 until 4)) else next(3 until 4)
          if (isAdopted) assert(release(run.checkpoint.toString) === Some(at(34).toInstant))
          next(4 until rows.size)
          run.answer
        }
        assert(answer(isAdopted = true) === answer(isAdopted = false))
      }
    }

  test("nobody asks: refused at the start, and nothing is changed") {
    val (run, _) = begun(windows, 3)
    val before = Checkpoints.offsetTexts(run.checkpoint)
    val error = replacing()(intercept[AnalysisException](run.start()))
    assert(
      error.getMessage === s"[TIDEGATE_CHECKPOINT_OF_SPARK] The checkpoint file:${run.checkpoint} " +
        "was made without Tidegate, and the query has keyed watermarks. Let the query adopt the " +
        "checkpoint with tidegate.adopt or spark.tidegate.adoptCheckpoint=true, or start it with " +
        "a new checkpoint. SQLSTATE: 55000"
    )
    assert(Checkpoints.offsetTexts(run.checkpoint) === before)
  }

  test("adopted by a call, and by a mark") {
    val wanted = ofSpark(windows, 3)
    Seq(true, false).foreach { isCall =>
      val (run, folder) = begun(windows, 3)
      rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
      replacing() {
        if (isCall) {
          val watermark = adopt(run.checkpoint.toString, windows(stream(folder)))
          assert(watermark === Some(at(23).toInstant))
        } else AdoptedCheckpoint.mark(run.checkpoint.toString, spark)
        assert(run.start().settle().stop().answer === wanted)
      }
      assert(!Files.exists(run.checkpoint.resolve("tidegate.adopt")))
    }
  }

  test("a keyed watermark of one's own adopts a checkpoint too") {
    val (run, folder) = begun(windows, 3)
    rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
    def keyed = stream(folder)
      .withKeyedWatermark("time", "2 seconds")
      .groupBy(window(col("time"), "10 seconds"))
      .count()
    adopt(run.checkpoint.toString, keyed)
    val wanted = ofSpark(windows, 3)
    assert((run.answer ++ new Run(keyed, run.checkpoint).start().settle().answer).sorted === wanted)
  }

  test("a change that was cut off between its two renames is ended at the next start") {
    val wanted = ofSpark(windows, 3)
    val (run, folder) = begun(windows, 3)
    adopt(run.checkpoint.toString, watchedKeyed(folder))
    Files.move(run.checkpoint.resolve("offsets"), run.checkpoint.resolve("offsets.changed"))
    rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
    replacing()(assert(run.start().settle().stop().answer === wanted))
  }

  private def watchedKeyed(folder: Path): DataFrame = stream(folder)
    .withKeyedWatermark("time", "2 seconds")
    .groupBy(window(col("time"), "10 seconds"))
    .count()
    .toDF()

  test("a first run that ended before there was a watermark") {
    val (run, folder) = begun(windows, 0)
    addFile(folder, 0, rows.head)
    withConf("spark.sql.streaming.noDataMicroBatches.enabled" -> "false") {
      run.runOnce(Trigger.AvailableNow())
    }
    rows.indices.drop(1).foreach(n => addFile(folder, n, rows(n)))
    val wanted = ofSpark(windows, 1)
    replacing(adopting)(assert(run.start().settle().stop().answer === wanted))
  }

  private def refusal(body: => Any): String = intercept[AnalysisException](body).getMessage

  test("what is no checkpoint, or none to adopt") {
    val empty = newCheckpoint().toString
    val keyed = watchedKeyed(EventFiles.of(rows.head))
    assert(
      refusal(adopt(empty, keyed)) === s"[TIDEGATE_NO_CHECKPOINT] $empty is no checkpoint of a " +
        "streaming query: it has no offsets. Give the folder that was the query's " +
        "checkpointLocation. SQLSTATE: 42K03"
    )
    assert(refusal(release(empty)).startsWith("[TIDEGATE_NO_CHECKPOINT]"))
    val (run, folder) = begun(windows, 3)
    val location = run.checkpoint.toString
    assert(
      refusal(adopt(location, windows(stream(folder)))) === "[TIDEGATE_NOTHING_TO_ADOPT] The " +
        "query has no keyed watermark that could adopt a checkpoint. Call withKeyedWatermark, or " +
        "set spark.tidegate.replaceWithWatermark=true. SQLSTATE: 42K0E"
    )
    assert(
      refusal(
        release(location)
      ) === s"[TIDEGATE_NOTHING_TO_RELEASE] The checkpoint $location has " +
        "no keyed watermarks: Spark can continue from it as it is. SQLSTATE: 55000"
    )
    val two = keyed.union(keyed)
    assert(
      refusal(
        adopt(location, two)
      ) === s"[TIDEGATE_ADOPTED_SOURCES] The checkpoint $location has " +
        "1 sources, and the query has 2. Give the query that made the checkpoint. SQLSTATE: 55000"
    )
    adopt(location, keyed)
    assert(
      refusal(adopt(location, keyed)) === s"[TIDEGATE_ALREADY_ADOPTED] The checkpoint $location " +
        "is of a query with keyed watermarks already. Start the query. SQLSTATE: 55000"
    )
  }

  test("a watermark that followed the fastest of several streams") {
    val (_, join) = queries.last
    val max = "spark.sql.streaming.multipleWatermarkPolicy" -> "max"
    val (run, _) = withConf(max)(begun(join, 3))
    val error = replacing(adopting)(intercept[AnalysisException](run.start()))
    assert(
      error.getMessage === s"[TIDEGATE_ADOPTED_POLICY_MAX] The checkpoint file:${run.checkpoint} " +
        "was made with several watermarks and spark.sql.streaming.multipleWatermarkPolicy 'max', " +
        "which stays with the checkpoint. No keyed watermark follows the fastest stream. Continue " +
        "the query without Tidegate, or begin it on a new checkpoint with 'min'. SQLSTATE: 0A000"
    )
    assert(!Files.exists(run.checkpoint.resolve("offsets.spark")))
  }

  test("a query that is running") {
    val folder = EventFiles.of(rows.head)
    val run = new Run(windows(stream(folder))).start().settle()
    val location = run.checkpoint.toString
    val sentence = s"[TIDEGATE_CHECKPOINT_IN_USE] The checkpoint $location belongs to the query " +
      s"`${run.query.id}`, which is running. Stop the query first. SQLSTATE: 55000"
    assert(refusal(adopt(location, watchedKeyed(folder))) === sentence)
    assert(refusal(release(location)) === sentence)
    assert(refusal(AdoptedCheckpoint.mark(location, spark)) === sentence)
  }

  for ((title, log) <- Seq("begins a batch" -> "offsets", "ends a batch" -> "commits"))
    test(s"a query that runs in another application and $title meanwhile") {
      val (run, folder) = begun(windows, 3)
      val location = run.checkpoint.toString
      val logs = Seq("offsets", "commits").map(run.checkpoint.resolve)
      val sentence = "[TIDEGATE_CHECKPOINT_GROWING] A batch has just begun or ended in the " +
        s"checkpoint $location: its query runs in another application. Stop that query first. " +
        "Nothing was changed. SQLSTATE: 55000"

      /** What is refused, because the other application writes as soon as it is watched. */
      def refused(body: => Any): Unit = {
        val here = Thread.currentThread
        def isWatched = here.getStackTrace.exists { frame =>
          frame.getClassName.endsWith(".CheckpointWatch") && frame.getMethodName.contains("grows")
        }
        val batch = run.checkpoint.resolve(log).resolve("99")
        val other = new Thread(() => {
          while (!isWatched) Thread.onSpinWait()
          val _ = Files.writeString(batch, "v1")
        })
        other.start()
        withConf("spark.tidegate.adopt.watch" -> "1 hour")(assert(refusal(body) === sentence))
        other.join()
        Files.delete(batch)
      }
      def names = logs.map(_.toFile.list.toSeq.filterNot(_.endsWith(".crc")).sorted)
      val before = names
      refused(adopt(location, watchedKeyed(folder)))
      refused(AdoptedCheckpoint.mark(location, spark))
      assert(names === before)
      assert(!Files.exists(run.checkpoint.resolve("offsets.changed")))
      adopt(location, watchedKeyed(folder))
      refused(release(location))
    }

  test("a watch that would not end is refused, and nothing is changed") {
    val (run, folder) = begun(windows, 3)
    for (text <- Seq("61 minutes", "290000 years", "-1 second"))
      withConf("spark.tidegate.adopt.watch" -> text) {
        val sentence = refusal(adopt(run.checkpoint.toString, watchedKeyed(folder)))
        assert(sentence.startsWith("[TIDEGATE_INVALID_SETTING]") && sentence.contains(text))
        assert(sentence.contains("a duration from 0 to 1 hour such as '5 seconds'"))
      }
    for (folder <- Seq("offsets.spark", "offsets.changed"))
      assert(!Files.exists(run.checkpoint.resolve(folder)))
  }

  test("state that is not Spark's, and operators with names, are not released") {
    def hop = stream(EventFiles.of(rows: _*)).withKeyedWatermark("time", "2 seconds")
    val sliding = hop.groupBy(window(col("time"), "10 seconds", "5 seconds")).count().toDF()
    val run = new Run(sliding).start().settle().stop()
    val location = run.checkpoint.toString
    assert(
      refusal(release(location)) === s"[TIDEGATE_RELEASED_STATE] The checkpoint $location has " +
        "state that Spark cannot read, of `frameAggregate`. A query without Tidegate needs a new " +
        "checkpoint. SQLSTATE: 0A000"
    )
    val place = withConf("spark.tidegate.deduplication.enabled" -> "false") {
      new Run(hop.dropDuplicates("time").tidegateName("firsts")).start().settle().stop()
    }.checkpoint.toString
    assert(
      refusal(release(place)) === "[TIDEGATE_RELEASED_NAMES] The operators of the checkpoint " +
        s"$place have names, by which Tidegate finds their state. Spark finds state by places " +
        "alone. A query without Tidegate needs a new checkpoint. SQLSTATE: 0A000"
    )
  }

  test("update mode") {
    def run(adopted: Boolean): Seq[String] = {
      val folder = EventFiles.of(rows.take(3): _*)
      val run = new Run(windows(stream(folder)), mode = OutputMode.Update()).start().settle().stop()
      rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
      if (!adopted) run.start().settle().stop().answer
      else
        replacing() {
          adopt(run.checkpoint.toString, windows(stream(folder)), OutputMode.Update())
          run.start().settle().stop().answer
        }
    }
    assert(run(adopted = true) === run(adopted = false))
  }
}
