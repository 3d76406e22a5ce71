package tidegate
package clock

import java.sql.Timestamp
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryException, Trigger}
import org.apache.spark.sql.tidegate.{SparkInternals, TestClock, TestQueries}
import org.apache.spark.sql.{DataFrame, Dataset, Row}
import org.apache.spark.{SPARK_VERSION, SparkEnv}
import tidegate.core.clock.{BatchTimes, ClockState}

/**
 * A window leaves in the batch that read the row which closes it, and so does every other state.
 */
class SameBatchSuite extends RestartTest {

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "0 seconds")

  private def tens(rows: DataFrame): DataFrame =
    rows.groupBy(window(col("time"), "10 seconds")).count()

  private def over(windows: DataFrame, size: String): DataFrame =
    windows.groupBy(window(window_time(col("window")), size)).agg(sum("count").as("count"))

  private def how(run: Run): String = {
    val plan = SparkInternals.execution(run.query).get.explainInternal(false)
    plan.linesIterator.filter(_.contains("Closing: ")).map(_.split("Closing: ").last).mkString("; ")
  }

  /** The rows of two batches: of one that leaves everything open, and of one that closes it. */
  private def closed(title: String, rows: String*)(query: DataFrame => DataFrame): Unit =
    onBothStores(s"$title: closed in the batch of the closing row") {
      val in = events()
      val run = new Run(query(keyed(in.toDF()))).start()
      in.addData(event("a", 1), event("b", 3, 2))
      run.settle()
      assert(run.answer === Nil)
      in.addData(event("c", 1000, 3))
      run.settle()
      assert(run.byBatch === Map(0L -> Nil, 1L -> rows))
      assert(how(run) === "in the same batch")
    }

  closed("windows", "[0,10)|2")(tens)

  closed("windows that slide", "[-5,5)|2", "[0,10)|2")(
    _.groupBy(window(col("time"), "10 seconds", "5 seconds")).count()
  )

  closed("sessions", "[1,8)|2")(rows =>
    rows
      .groupBy(session_window(col("time"), "5 seconds"), expr("n - n"))
      .count()
      .select("session_window", "count")
  )

  closed("windows over windows over windows", "[0,40)|2")(rows =>
    over(over(tens(rows), "20 seconds"), "40 seconds")
  )

  closed("event-time order over windows", "0|2")(rows =>
    over(tens(rows), "20 seconds")
      .select(window_time(col("window")).as("at"), col("count"))
      .withColumn("at", timestamp_seconds(floor(unix_timestamp(col("at")) / 100)))
      .select("at", "count")
  )

  closed("windows over what dropDuplicates passes", "[0,10)|2")(rows =>
    tens(rows.dropDuplicates("sub", "time"))
  )

  onBothStores("event-time order without keys: the rows leave in their own batch") {
    val in = events()
    val run = new Run(keyed(in.toDF()).orderByEventTime().select("n")).start()
    in.addData(event("a", 7, 2), event("b", 3, 1), event("a", 9, 3))
    run.settle()
    assert(run.rowsByBatch === Map(0L -> Seq(Row(1), Row(2))))
    assert(how(run) === "in the same batch")
  }

  onBothStores("an outer join: the rows of both sides close in their own batch") {
    val (l, r) = (events(), events())
    def side(in: DataFrame, name: String, key: Int) =
      in.withColumnRenamed("time", name).withKeyedWatermark(name, "0 seconds", key = key).as(name)
    // Before the query starts, as a batch could begin between the two sides.
    l.addData(event("a", 5, 1), event("a", 6, 2), event("a", 100, 9))
    r.addData(event("a", 7, 1), event("a", 8, 3), event("a", 100, 9))
    val run = new Run(
      side(l.toDF(), "l", 0)
        .join(
          side(r.toDF(), "r", 1),
          expr("l.n = r.n AND r BETWEEN l AND l + INTERVAL 10 SECONDS"),
          "fullOuter"
        )
        .select("l", "r")
    ).start()
    run.settle()
    assert(run.byBatch === Map(0L -> Seq("100|100", "5|7", "6|null", "null|8")))
    assert(run.stateRows > 0)
    assert(how(run) === "in the same batch")
  }

  test("keys of dropDuplicates leave the state in the batch that passes them") {
    val in = events()
    val run = new Run(keyed(in.toDF()).dropDuplicates("sub", "time")).start()
    in.addData((1 to 50).map(i => event("a", i)): _*)
    run.settle()
    assert(run.batchCount === 1)
    val before = run.stateRows
    in.addData(event("a", 1000))
    run.settle()
    assert(run.batchCount === 2 && run.stateRows <= before)
  }

  test("rows that take two ways, and tables that two joins share: in the same batch") {
    def closes(query: DataFrame => DataFrame): Unit = {
      val in = events()
      val run = new Run(query(keyed(in.toDF()))).start()
      in.addData(event("a", 1), event("a", 35, 2))
      run.settle()
      assert(how(run) === "in the same batch")
      assert(run.batchCount === 1 && run.rows.nonEmpty)
      run.stop()
    }
    closes { rows =>
      val bySub = rows.repartition(2, col("sub"))
      tens(bySub.union(bySub))
    }
    val names = spark.range(1, 3).select(col("id").as("n"))
    closes(rows => tens(rows.join(names, "n").join(names.hint("merge"), "n")))
  }

  Seq(false, true).foreach { fails =>
    test(s"a silence is known in the batch that it starts; the sink fails: $fails") {
      val in = events()
      val run = new Run(
        tens(in.toDF().withKeyedWatermark("time", "0 seconds", substream = Seq("sub")))
      )
      run.start()
      in.addData(event("a", 30), event("b", 3))
      run.settle()
      val first = run.batchCount
      run.failIn = id => fails && id >= first
      run.clock.advance(61000)
      if (fails) {
        run.awaitEnd()
        run.failIn = _ => false
        run.start()
      }
      run.settle()
      assert(run.answer === Seq("[0,10)|1"))
      // The offset was written before the batch knew.
      val last = run.log.last
      assert(last.operators.values.map(_._2).toSeq === Seq(Some(3000L)), last)
      run.clock.advance(3600000)
      run.settle()
      assert(run.log.last === last)
    }
  }

  test("a plan that does not qualify goes on in the next batch, and says why") {
    def batches(query: DataFrame => DataFrame, mode: OutputMode = OutputMode.Append()) = {
      val in = events()
      val run = new Run(query(keyed(in.toDF())), mode = mode).start()
      in.addData(event("a", 1), event("a", 35, 2))
      run.settle()
      val found = how(run)
      run.stop()
      found
    }
    assert(
      batches(_.groupBy(window(col("time"), "10 seconds")).count(), OutputMode.Update()) ===
        "in the next batch: the operator stateStoreSave is Spark's"
    )
    assert(
      batches(rows =>
        tens(rows)
          .select(window_time(col("window")).cast("string").cast("timestamp").as("later"))
          .withKeyedWatermark("later", "0 seconds", key = 1)
          .groupBy(window(col("later"), "10 seconds"))
          .count()
      ) === "in the next batch: the watermark `later` stands above an operator with a state"
    )
    assert(
      batches(identity) === "in the next batch: the query has no operator with a state"
    )
    withConf("spark.tidegate.closing" -> "nextBatch") {
      assert(batches(tens) === "in the next batch: spark.tidegate.closing is nextBatch")
    }
    val beside = keyed(stream(files(Seq(event("b", 1))))).select("n")
    assert(
      batches(rows => tens(rows).select("count").union(beside)) ===
        "in the next batch: the rows of the watermark `time-2` pass no shuffle"
    )
    withConf(
      "spark.tidegate.replaceWithWatermark" -> "true",
      "spark.tidegate.lateness" -> "slowest"
    ) {
      val in = events()
      val run = new Run(
        in.toDF()
          .withWatermark("time", "0 seconds")
          .groupBy(window(col("time"), "10 seconds", "5 seconds"))
          .count()
      ).start()
      in.addData(event("a", 1))
      run.settle()
      assert(
        how(run) ===
          "in the next batch: spark.tidegate.lateness is slowest, so rows are late as in Spark"
      )
    }
  }

  /**
   * The rows of a batch whose shuffles are lost when its times have just been written, so that the
   * stages below run again, and read rows that are now `shift` seconds later; then those of the
   * next batch. Each with the watermark in seconds.
   */
  private def losingShuffles(shift: Int): Seq[(Seq[String], Long)] = {
    import SameBatchSuite._
    shiftMs = 0
    evaluated.set(0)
    val moved = udf { (time: Timestamp) =>
      evaluated.incrementAndGet(): Unit
      new Timestamp(time.getTime + shiftMs)
    }.asNondeterministic()
    val in = events()
    val run = new Run(tens(keyed(in.toDF().withColumn("time", moved(col("time")))))).start()
    def next(second: Double): (Seq[String], Long) = {
      in.addData(event("a", second))
      run.settle()
      (run.take(), run.watermark("time").get / 1000)
    }
    next(1): Unit
    var written = 0
    val seen = evaluated.get
    try {
      DirectFiles.beforeRename = to =>
        if (to.getName.startsWith("tidegate.skipped")) {
          written += 1
          shiftMs = shift * 1000L
          SparkEnv.get.blockManager.diskBlockManager
            .getAllFiles()
            .filter(_.getName.startsWith("shuffle_"))
            .foreach(_.delete())
        }
      val first = next(25)
      assert(evaluated.get === seen + 2 && written === 1)
      DirectFiles.beforeRename = _ => ()
      shiftMs = 0
      Seq(first, next(2000))
    } finally DirectFiles.beforeRename = _ => ()
  }

  test("shuffles that are lost are written again, and the batch has the same watermarks") {
    assert(
      losingShuffles(shift = 0) === Seq((Seq("[0,10)|1"), 25L), (Seq("[20,30)|1"), 2000L))
    )
  }

  test("a source that gives other rows in a retry moves no time of the batch") {
    assert(
      losingShuffles(shift = 1000) === Seq((Seq("[0,10)|1"), 25L), (Seq("[1020,1030)|1"), 2000L))
    )
  }

  onBothStores("the setting changes between runs, both ways: each window once, as in the batch") {
    val second = Seq.tabulate(40)(i => Seq(event("a", i * 4.0), event("b", i * 4.0 - 2)))
    val folder = files(second :+ Seq(event("a", 9000), event("b", 9000)): _*)
    def frame =
      stream(folder)
        .withKeyedWatermark("time", "3 seconds", substream = Seq("sub"))
        .groupBy(window(col("time"), "20 seconds", "10 seconds"))
        .count()
    val run = new Run(frame)
    for (
      (closing, i) <- Iterator
        .continually(Seq("sameBatch", "nextBatch"))
        .flatten
        .zipWithIndex
        .take(9)
    ) {
      run.failIn = _ >= (i + 1) * 5
      withConf("spark.tidegate.closing" -> closing)(run.start().awaitEnd())
    }
    run.failIn = _ => false
    run.start().settle()
    val wanted = table(folder).groupBy(window(col("time"), "20 seconds", "10 seconds")).count()
    val open = Set("[8990,9010)|2", "[9000,9020)|2")
    assert(run.answer === wanted.collect().map(KeyedStreamTest.text).toSeq.sorted.filterNot(open))
    assert(run.lateRows === Map.empty)
  }

  for (closings <- Seq("sameBatch", "nextBatch").permutations)
    test(s"a batch that fails with ${closings.head} and runs again with ${closings.last}") {
      val folder = files(
        Seq(event("a", 0), event("a", 30)),
        Seq(event("a", 60)),
        Seq(event("a", 3600))
      )
      def frame = keyed(stream(folder)).groupBy(window(col("time"), "5 seconds")).count()
      val run = new Run(frame)
      run.failIn = _ == 0
      withConf("spark.tidegate.closing" -> closings.head)(run.start().awaitEnd())
      run.failIn = _ => false
      withConf("spark.tidegate.closing" -> closings.last)(run.start().settle())
      assert(run.answer === Seq("[0,5)|1", "[30,35)|1", "[60,65)|1"))
    }

  test("the progress and the watermarks of a batch show where it has come") {
    val in = events()
    val run = new Run(tens(keyed(in.toDF()))).start()
    in.addData(event("a", 5), event("a", 25))
    run.settle()
    val progress = run.query.recentProgress.filter(_.numInputRows > 0).last
    assert(progress.eventTime.get("watermark") === "1970-01-01T00:00:25.000Z")
    assert(run.watermark("time") === Some(25000L))
    assert(run.batchCount === 1)
  }

  test("AvailableNow closes in its last batch with rows, and the next run closes nothing twice") {
    val folder = files(Seq(event("a", 5)), Seq(event("a", 25)), Seq(event("a", 45)))
    val run = new Run(tens(keyed(stream(folder))))
    run.runOnce(Trigger.AvailableNow())
    assert(run.batchCount === 3)
    assert(run.answer === Seq("[0,10)|1", "[20,30)|1"))
    addFile(folder, 3, Seq(event("a", 46), event("a", 65)))
    run.runOnce(Trigger.AvailableNow())
    assert(run.batchCount === 4)
    assert(run.answer === Seq("[0,10)|1", "[20,30)|1", "[40,50)|2"))
  }

  test("a kill while the times of a batch that was left out are written: each window once") {
    val in = events()
    val run = new Run(
      in.toDF()
        .withKeyedWatermark(
          "time",
          policy = limitingTimestampAndWallClockLag("94 seconds", "1000020 seconds")
        )
        .groupBy(window(col("time"), "20 seconds", "10 seconds"), col("sub"))
        .count()
    ).start()
    in.addData(event("a", 11), event("a", 95))
    run.settle()
    // From this batch on it is known when something is due.
    run.clock.advance(32000)
    run.settle()
    assert(run.take() === Nil)
    // Closes windows of a key whose row of the state stays as it is.
    in.addData(event("c", 124))
    run.settle()
    assert(run.take() === Seq("[0,20)|a|1", "[10,30)|a|1"))
    try {
      DirectFiles.beforeRename = to =>
        if (to.getName.startsWith("tidegate.skipped"))
          throw new IllegalStateException("made to fail")
      run.clock.advance(33000)
      val error = intercept[StreamingQueryException](run.settle())
      assert(error.getMessage.contains("made to fail"))
    } finally DirectFiles.beforeRename = _ => ()
    run.start()
    in.addData(event("c", 125))
    run.settle()
    assert(run.take() === Nil)
  }

  /** Windows over the rows, with a function for each batch. */
  private def started(rows: DataFrame)(act: Dataset[Row] => Unit): StreamingQuery =
    TestQueries.start(
      tens(keyed(rows)),
      newCheckpoint().toString,
      OutputMode.Append(),
      Trigger.ProcessingTime(0),
      new TestClock(1000000000L)
    )((batch, _) => act(batch))

  private def acting(act: Dataset[Row] => Seq[Row]): Seq[Seq[Row]] = {
    val in = events()
    var found = Vector.empty[Seq[Row]]
    val query =
      started(in.toDF())(batch => found :+= act(batch).map(row => Row(row.getLong(1))))
    in.addData(event("a", 5), event("a", 6))
    query.processAllAvailable()
    in.addData(event("a", 25))
    query.processAllAvailable()
    query.stop()
    found
  }

  test("two actions on a batch, a limit, and a batch that is kept: the same rows") {
    val wanted = Seq(Nil, Seq(Row(2L)))
    assert(acting(batch => { batch.count(): Unit; batch.collect().toSeq }) === wanted)
    assert(acting(batch => batch.limit(1).collect().toSeq ++ batch.collect().drop(1)) === wanted)
    assert(acting { batch =>
      batch.persist()
      try { batch.count(): Unit; batch.collect().toSeq }
      finally batch.unpersist(): Unit
    } === wanted)
  }

  test("a function without any action: Spark ends the query") {
    assume(SPARK_VERSION >= "4.2", "an earlier Spark does not see that the batch has no state")
    val in = events()
    val query = started(in.toDF())(_ => ())
    in.addData(event("a", 5))
    val error = intercept[StreamingQueryException](query.processAllAvailable())
    val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null)
    assert(causes.exists(_.getMessage.contains("STATE_STORE_COMMIT_VALIDATION_FAILED")))
  }

  test("the times of a batch are asked for once") {
    val asked = new AtomicInteger
    val (empty, times) = (ClockState.empty, ClockState.empty.times)
    val batch = new RunningBatch(
      BatchTimes(empty, empty),
      mayMove = true,
      known = None,
      () => { asked.incrementAndGet(): Unit; Some(times) }
    )
    batch.step()
    batch.step()
    assert(asked.get === 1)
    val failing = new RunningBatch(
      BatchTimes(empty, empty),
      mayMove = true,
      known = None,
      () => { asked.incrementAndGet(): Unit; throw new IllegalStateException("the disk is full") }
    )
    for (_ <- 1 to 2)
      assert(intercept[IllegalStateException](failing.step()).getMessage === "the disk is full")
    assert(asked.get === 2)
  }
}

object SameBatchSuite {

  /** How much later a function finds times now, and how many it has found. */
  @volatile private var shiftMs = 0L
  private val evaluated = new AtomicInteger
}
