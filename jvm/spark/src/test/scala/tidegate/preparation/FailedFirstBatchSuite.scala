package tidegate
package preparation

import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryListener.{
  QueryProgressEvent,
  QueryStartedEvent,
  QueryTerminatedEvent
}
import org.apache.spark.sql.streaming.{
  OutputMode,
  StreamingQueryException,
  StreamingQueryListener,
  Trigger
}
import org.apache.spark.sql.tidegate.{TestClock, TestQueries}
import tidegate.settings.Settings

/**
 * The first batch of a query fails, and a setting or the output mode is changed before it is tried
 * again: then the checkpoint has states of operators that the query does not have any more.
 */
class FailedFirstBatchSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq(
    "windows with a name",
    "pairs over keys",
    "windows over pairs",
    "sessions: spark.tidegate.sessions.enabled from false",
    "keys that were seen: spark.tidegate.deduplication.enabled from false",
    "windows with a common",
    "sessions with a common",
    "other keys that were seen",
    "a sink that has the first batch, of which",
    "an order of other keys",
    "other functions of sessions",
    "pairs: spark.tidegate.join.enabled from false",
    "windows: spark.tidegate.windows.enabled from true",
    "pairs: spark.tidegate.join.enabled from true"
  )

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "2 seconds")

  private def joined(rows: DataFrame): DataFrame = joinedTo(keyed(rows), rows)

  private def joinedTo(left: DataFrame, rows: DataFrame): DataFrame = left
    .join(
      rows
        .select(col("time").as("other"), col("n").as("m"))
        .withKeyedWatermark("other", "2 seconds", key = 1),
      expr("n = m AND other BETWEEN time AND time + INTERVAL 5 SECONDS")
    )
    .select("n", "time", "other")

  private val queries: Seq[(String, String, DataFrame => DataFrame)] = Seq(
    (
      "windows",
      Settings.WindowsEnabled.key,
      keyed(_).groupBy(window(col("time"), "10 seconds"), col("n")).count()
    ),
    (
      "windows with a name",
      Settings.WindowsEnabled.key,
      keyed(_)
        .groupBy(window(col("time"), "10 seconds"), col("n"))
        .count()
        .tidegateName("counts")
        .toDF()
    ),
    (
      "sessions",
      Settings.SessionsEnabled.key,
      keyed(_).groupBy(session_window(col("time"), "3 seconds"), col("n")).count()
    ),
    (
      "keys that were seen",
      Settings.DeduplicationEnabled.key,
      keyed(_).dropDuplicatesWithinWatermark("n")
    ),
    ("pairs", Settings.JoinEnabled.key, joined),
    (
      "pairs over keys that were seen",
      Settings.JoinEnabled.key,
      rows => joinedTo(keyed(rows).dropDuplicates("n", "time"), rows)
    ),
    (
      "windows over pairs",
      Settings.JoinEnabled.key,
      joined(_).groupBy(window(col("time"), "10 seconds")).count()
    )
  )

  private val batches: Seq[Seq[Double]] = Seq(Seq(10, 11), Seq(12, 13), Seq(30), Seq(31, 60))

  private def send(run: Run, in: SparkClasses.MemoryStream[Event], seconds: Seq[Double]): Unit = {
    in.addData(seconds.map(event("a", _)))
    run.settle(): Unit
  }

  /** What queries give that nothing disturbs, and which run as the branches of one. */
  private def undisturbed(queries: Seq[(String, DataFrame => DataFrame)])(
      run: (DataFrame => DataFrame) => Run
  ): Map[String, Seq[String]] = {
    val ended = run(rows => Branches.of(queries.map { case (title, q) => title -> q(rows) }))
    assert(!Files.exists(ended.checkpoint.resolve("state.unused")))
    val answers = Branches.answers(ended.rows)
    assert(answers.keySet === queries.map(_._1).toSet)
    answers
  }

  /** A run of several starts; the setting of the first batch comes first, if it is to fail. */
  private def started(query: DataFrame => DataFrame, failing: Seq[(String, String)]): Run = {
    val in = events()
    val run = new Run(query(in.toDF()))
    if (failing.nonEmpty) {
      run.failIn = _ => true
      withConf(failing: _*)(run.start())
      in.addData(batches.head.map(event("a", _)))
      run.awaitEnd()
      run.failIn = _ => false
      run.start().settle()
    } else {
      run.start()
      send(run, in, batches.head)
    }
    for (rows <- batches.tail) {
      run.restart()
      send(run, in, rows)
    }
    run.restart().settle()
  }

  private lazy val undisturbedAnswers: Map[String, Seq[String]] =
    undisturbed(queries.map { case (title, _, query) => title -> query })(started(_, Nil).stop())

  for {
    (title, setting, query) <- queries
    before <- Seq(true, false)
  } onBothStores(
    s"$title: $setting from $before to ${!before} after a first batch that failed, then new starts"
  ) {
    withConf(setting -> (!before).toString) {
      val failing = Seq(setting -> before.toString)
      val run = started(rows => Branches.of(Seq(title -> query(rows))), failing)
      // The setting goes back, and the query goes on with the operator with which it began.
      withConf(failing: _*)(run.restart().settle().stop())
      assert(Files.exists(run.checkpoint.resolve("state.unused")))
      assert(Branches.answers(run.rows)(title) === undisturbedAnswers(title))
    }
  }

  private def withOther(rows: DataFrame) = rows.withColumn("other", upper(col("sub")))

  private def joinedBy(time: String)(rows: DataFrame): DataFrame =
    rows
      .withColumn("later", expr("time + INTERVAL 1 SECOND"))
      .withKeyedWatermark(time, "2 seconds")
      .join(
        rows
          .select(col("time").as("shipped"), col("n").as("m"))
          .withKeyedWatermark("shipped", "2 seconds", key = 1),
        expr(s"n = m AND shipped BETWEEN $time - INTERVAL 5 SECONDS AND $time + INTERVAL 5 SECONDS")
      )
      .select("n", "time", "later", "shipped")

  private val windows = window(col("time"), "10 seconds")
  private val sessions = session_window(col("time"), "3 seconds")

  private val changes: Seq[(String, DataFrame => DataFrame, DataFrame => DataFrame)] = Seq(
    (
      "an order of other columns",
      in => keyed(withOther(in).select("time", "n", "sub")).orderByEventTime().toDF(),
      in => keyed(withOther(in).select("time", "n", "other")).orderByEventTime().toDF()
    ),
    (
      "an order of other keys",
      keyed(_).orderByEventTime(Seq("n")).toDF(),
      keyed(_).orderByEventTime(Seq("n", "sub")).toDF()
    ),
    (
      "other functions of windows",
      keyed(_).groupBy(windows, col("n")).agg(min("n")),
      keyed(_).groupBy(windows, col("n")).agg(max("n"), count("*"))
    ),
    (
      "other functions of sessions",
      keyed(_).groupBy(sessions, col("n")).agg(min("n")),
      keyed(_).groupBy(sessions, col("n")).agg(max("n"), count("*"))
    ),
    (
      "other keys that were seen",
      keyed(_).dropDuplicatesWithinWatermark("n"),
      keyed(_).dropDuplicatesWithinWatermark("n", "sub")
    ),
    ("pairs by another time", joinedBy("time"), joinedBy("later")),
    (
      "an order that became a deduplication",
      keyed(_).orderByEventTime().toDF(),
      keyed(_).dropDuplicatesWithinWatermark("n")
    )
  )

  /** A run of a query on a checkpoint, which is started anew for each batch but the first. */
  private def continued(
      now: DataFrame => DataFrame,
      in: SparkClasses.MemoryStream[Event],
      checkpoint: Path
  ): Run = {
    val run = new Run(now(in.toDF()), checkpoint).start().settle()
    for (rows <- batches.tail) {
      run.restart()
      send(run, in, rows)
    }
    run.stop()
  }

  private lazy val undisturbedChanges: Map[String, Seq[String]] =
    undisturbed(changes.map { case (title, _, now) => title -> now }) { now =>
      val in = events()
      in.addData(batches.head.map(event("a", _)))
      continued(now, in, newCheckpoint())
    }

  for ((title, before, now) <- changes) onBothStores(s"$title, after a first batch that failed") {
    val in = events()
    val failed = new Run(before(in.toDF()))
    failed.failIn = _ => true
    failed.start()
    in.addData(batches.head.map(event("a", _)))
    failed.awaitEnd()
    val run = continued(rows => Branches.of(Seq(title -> now(rows))), in, failed.checkpoint)
    assert(Branches.answers(run.rows)(title) === undisturbedChanges(title))
  }

  onBothStores("another output mode, which Spark's own sessions have") {
    val in = events()
    val query = keyed(in.toDF()).groupBy(session_window(col("time"), "3 seconds"), col("n")).count()
    val first = new Run(query)
    first.failIn = _ => true
    first.start()
    in.addData(event("a", 10))
    first.awaitEnd()
    val run = new Run(query, first.checkpoint, OutputMode.Complete())
    run.start().settle()
    in.addData(event("a", 11))
    run.settle()
    for (second <- Seq(12, 30)) {
      run.restart()
      in.addData(event("a", second.toDouble))
      run.settle()
    }
    assert(
      run.rowsByBatch.toSeq.maxBy(_._1)._2.map(KeyedStreamTest.text).sorted ===
        Seq("[10,15)|1|3", "[30,33)|1|1")
    )
    run.stop()
  }

  /** A checkpoint without the commit of its first batch, which the sink has, after another run. */
  private def skipped(query: => DataFrame, begun: Run): Path = {
    val checkpoint = Checkpoints.cut(begun.checkpoint, 0, -1, begun.log.head.dataOffsets)
    // The batch is skipped, as a sink of files does it.
    withConf("spark.sql.streaming.stateStore.commitValidation.enabled" -> "false") {
      val again = TestQueries.start(
        query,
        checkpoint.toString,
        OutputMode.Append(),
        Trigger.ProcessingTime(0),
        new TestClock(1000000000L)
      )((batch, id) => if (id > 0) batch.collect(): Unit)
      try again.processAllAvailable()
      finally again.stop()
    }
    checkpoint
  }

  private val begunQueries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "windows" -> (keyed(_).groupBy(windows, col("n")).count()),
    // Spark names some of the columns with numbers that each planning counts on.
    "windows with a common expression" ->
      (keyed(_).groupBy(windows, col("n")).agg(sum(expr("nullif(n * 2, 0)")))),
    "sessions with a common expression" ->
      (keyed(_).groupBy(sessions, col("n")).agg(sum(expr("nullif(n * 2, 0)")))),
    "pairs with a common expression" -> { rows =>
      val other = rows.select(col("time").as("other"), col("n").as("m"), col("n").as("most"))
      keyed(rows)
        .join(
          other.withKeyedWatermark("other", "2 seconds", key = 1),
          expr(
            "n = m AND other BETWEEN time AND time + INTERVAL 5 SECONDS " +
              "AND abs(n * 2) BETWEEN m AND most * 2"
          )
        )
        .select("n", "time", "other")
    }
  )

  /** A run that has had its first batch, or on a checkpoint without the commit of that batch. */
  private def begun(query: DataFrame => DataFrame, isKilled: Boolean): Run = {
    val folder = files(batches.head.map(event("a", _)))
    def frame: DataFrame = query(stream(folder))
    val begun = new Run(frame).start().settle().stop()
    val run = new Run(frame, if (isKilled) skipped(frame, begun) else begun.checkpoint)
    for ((rows, i) <- batches.tail.zipWithIndex) {
      addFile(folder, i + 1, rows.map(event("a", _)))
      run.start().settle().stop()
    }
    run
  }

  private lazy val undisturbedBegun: Map[String, Seq[String]] =
    undisturbed(begunQueries)(begun(_, isKilled = false))

  for ((title, query) <- begunQueries)
    onBothStores(s"$title: a sink that has the first batch, of which the commits do not know") {
      val run = begun(rows => Branches.of(Seq(title -> query(rows))), isKilled = true)
      assert(!Files.exists(run.checkpoint.resolve("state.unused")))
      assert(Branches.answers(run.rows)(title) === undisturbedBegun(title))
    }

  onBothStores("a sink that has the first batch of another query: no rows are taken for others") {
    val folder = files(batches.head.map(event("a", _)))
    def order(column: String): DataFrame =
      keyed(withOther(stream(folder)).select("time", "n", column)).orderByEventTime().toDF()
    val begun = new Run(order("sub")).start().settle().stop()
    addFile(folder, 1, batches(1).map(event("a", _)))
    // The state is aside, and no task has made another one.
    intercept[StreamingQueryException](skipped(order("other"), begun))
  }

  onBothStores("a changed query that is started while the first batch runs") {
    val in = events()
    def query: DataFrame = keyed(in.toDF()).groupBy(windows, col("n")).count()
    val checkpoint = newCheckpoint()
    val isHeld = new CountDownLatch(1)
    withConf(Settings.WindowsEnabled.key -> "false") {
      TestQueries.start(
        query,
        checkpoint.toString,
        OutputMode.Append(),
        Trigger.ProcessingTime(0),
        new TestClock(1000000000L)
      ) { (batch, _) =>
        batch.collect()
        isHeld.countDown()
        new CountDownLatch(1).await()
      }
    }
    in.addData(batches.head.map(event("a", _)))
    isHeld.await()
    // Spark stops the run that is held.
    val run = new Run(query, checkpoint).start().settle()
    for (rows <- batches.tail) {
      run.restart()
      send(run, in, rows)
    }
    run.stop()
    val undisturbed = new Run(query)
    in.reset()
    undisturbed.start()
    for (rows <- batches) send(undisturbed, in, rows)
    undisturbed.stop()
    assert(run.answer === undisturbed.answer)
    assert(run.answer.nonEmpty)
  }

  test("a first batch that ends while the next run starts") {
    val in = events()
    val first = new Run(joinedBy("time")(in.toDF())).start()
    send(first, in, batches.head)
    first.stop()
    val checkpoint = Checkpoints.cut(first.checkpoint, 0, 0, first.log.head.dataOffsets)
    val (commits, away) = (checkpoint.resolve("commits"), checkpoint.resolve("commits-away"))
    Files.move(commits, away)
    // Spark tells of the start when all is decided, and waits.
    val listener = new StreamingQueryListener {
      override def onQueryStarted(event: QueryStartedEvent): Unit = {
        // Spark 4.0 has made the folder by then.
        Files.createDirectories(commits)
        away.toFile.list.foreach(file => Files.move(away.resolve(file), commits.resolve(file)))
      }
      override def onQueryProgress(event: QueryProgressEvent): Unit = ()
      override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ()
    }
    spark.streams.addListener(listener)
    val other =
      try new Run(joinedBy("later")(in.toDF()), checkpoint).start()
      finally spark.streams.removeListener(listener)
    in.addData(batches(1).map(event("a", _)))
    val error = intercept[StreamingQueryException](other.query.processAllAvailable())
    assert(Checkpoints.log(spark, checkpoint).size === 1)
    assert(
      error.getCause.getMessage ===
        "[TIDEGATE_BEGUN_MEANWHILE] Another run on this checkpoint has completed its first batch " +
        "while this run was prepared, so this run, which is to begin with batch 1, was prepared for " +
        "a checkpoint without batches. Start the query again. Nothing was read or written. " +
        "SQLSTATE: 55000"
    )
    val run = new Run(joinedBy("time")(in.toDF()), checkpoint).start()
    send(run, in, batches(2))
    run.stop()
    assert(run.answer.nonEmpty)
  }

  onBothStores(
    "the states of another query stay where they are, and its start is refused by Spark"
  ) {
    val in = events()
    val run = new Run(keyed(in.toDF()).dropDuplicatesWithinWatermark("n")).start()
    send(run, in, batches.head)
    run.stop()
    val other = new Run(keyed(in.toDF()).select("n"), run.checkpoint)
    intercept[Exception] {
      other.start()
      send(other, in, batches(1))
    }
    assert(!Files.exists(run.checkpoint.resolve("state.unused")))
    run.start().settle()
    assert(run.answer.size === 1)
    run.stop()
  }
}
