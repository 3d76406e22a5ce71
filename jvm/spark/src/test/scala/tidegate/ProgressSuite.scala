package tidegate

import java.sql.Timestamp

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{
  StreamingQuery,
  StreamingQueryListener,
  StreamingQueryProgress,
  Trigger
}
import org.apache.spark.sql.tidegate.{EventTimeReporter, QueryReports, SparkInternals, TestQueries}

/**
 * `eventTime` in the progress of a query, and the gauge that Spark makes of it: the times of the
 * keyed watermark that is lowest.
 */
class ProgressSuite extends RestartTest with ClosesInNextBatch {

  override protected def atNight: Seq[String] = Seq(
    "the same job: a deduplication",
    "the same job: a join"
  )

  private type Times = Map[String, String]

  private def timesOf(progress: StreamingQueryProgress): Times = progress.eventTime.asScala.toMap

  private def hasBatch(progress: StreamingQueryProgress): Boolean =
    progress.durationMs.containsKey("addBatch")

  /** The times of each batch of this run. */
  private def byBatch(query: StreamingQuery): Map[Long, Times] =
    query.recentProgress.filter(hasBatch).map(p => p.batchId -> timesOf(p)).toMap

  /** The same, in the order of the batches. */
  private def told(run: Run): Seq[Times] = byBatch(run.query).toSeq.sortBy(_._1).map(_._2)

  private def text(second: Double): String = {
    val instant = java.time.Instant.ofEpochMilli((second * 1000).toLong)
    java.time.format.DateTimeFormatter
      .ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
      .withZone(java.time.ZoneOffset.UTC)
      .format(instant)
  }

  private def batch(min: Double, max: Double, avg: Double): Times =
    Map("min" -> text(min), "max" -> text(max), "avg" -> text(avg))

  private def watermark(second: Double): Times = Map("watermark" -> text(second))

  private def counts(in: DataFrame): DataFrame =
    in.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  private def keyed(in: DataFrame): DataFrame = in.withKeyedWatermark("time", "2 seconds")

  test("one stream: no watermark at first, no other times in a batch without rows") {
    val in = events()
    val run = new Run(counts(keyed(in.toDF()))).start()
    in.addData(event("a", 10), event("a", 13))
    run.settle()
    in.addData(event("a", 42), event("a", 5))
    run.settle()
    assert(
      told(run) === Seq(
        batch(10, 13, 11.5),
        watermark(11),
        batch(5, 42, 23.5) ++ watermark(11),
        watermark(40)
      )
    )
    assert(timesOf(run.query.lastProgress) === watermark(40))
  }

  test("without an operator the watermark of a batch is that of the rows before it") {
    val in = events()
    val run = new Run(keyed(in.toDF())).start()
    Seq(10, 20, 30).foreach { second =>
      in.addData(event("a", second.toDouble))
      run.settle()
    }
    assert(
      told(run) === Seq(
        batch(10, 10, 10),
        batch(20, 20, 20) ++ watermark(8),
        batch(30, 30, 30) ++ watermark(18)
      )
    )
  }

  test("an idle trigger tells the watermark that no batch has used yet, also after a restart") {
    val in = events()
    val run = new Run(keyed(in.toDF())).start()
    in.addData(event("a", 10))
    run.settle()
    run.clock.advance(20000)
    run.settle()
    assert(timesOf(run.query.lastProgress) === watermark(8))
    run.restart().settle()
    assert(!hasBatch(run.query.lastProgress))
    assert(timesOf(run.query.lastProgress) === watermark(8))
  }

  test("a join: the times of the stream whose watermark is lower") {
    val (left, right) = (events(), events())
    def side(in: DataFrame, name: String, key: Int) =
      in.withColumnRenamed("time", name).withKeyedWatermark(name, "2 seconds", key = key).as(name)
    val run = new Run(
      side(left.toDF(), "l", 0)
        .join(side(right.toDF(), "r", 1), expr("l.n = r.n AND l BETWEEN r AND r + INTERVAL 1 DAY"))
        .select("l.n")
    ).start()
    def last(fill: => Unit): Times = {
      val before = byBatch(run.query).keySet
      fill
      run.settle()
      val now = byBatch(run.query)
      now((now.keySet -- before).min)
    }
    assert(last(right.addData(event("a", 100))) === batch(100, 100, 100))
    assert(last(right.addData(event("a", 102))) === batch(102, 102, 102) ++ watermark(98))
    // The other stream has no watermark yet.
    assert(last(left.addData(event("a", 50))) === watermark(100))
    assert(last(right.addData(event("a", 104))) === watermark(48))
    assert(last(left.addData(event("a", 60))) === batch(60, 60, 60) ++ watermark(48))
    left.addData(event("a", 200))
    run.settle()
    assert(last(left.addData(event("a", 300))) === watermark(102))
    assert(
      last {
        left.addData(event("a", 301))
        right.addData(event("a", 110), event("a", 120))
      } === batch(110, 120, 115) ++ watermark(102)
    )
  }

  test("a union of a stream with itself: the rows of both copies have the same times") {
    val in = events()
    val watched = keyed(in.toDF())
    val run = new Run(counts(watched.union(watched))).start()
    in.addData(event("a", 10), event("a", 13))
    run.settle()
    assert(told(run).head === batch(10, 13, 11.5))
  }

  test("stops and failures in the middle change nothing") {
    val random = new Random(7)
    val rows = Seq.tabulate(6)(n => Seq.fill(3)(event("a", n * 7 + random.nextInt(9).toDouble)))
    val folder = files(rows: _*)
    def frame = counts(keyed(stream(folder)))
    val undisturbed = new Run(frame).start().settle()
    val expected = byBatch(undisturbed.query)
    assert(expected.values.count(_.contains("watermark")) >= 5)
    val stopped = new Run(frame)
    val told = expected.keys.toSeq.sorted.flatMap { failing =>
      stopped.failIn = _ == failing
      stopped.start().awaitEnd()
      byBatch(stopped.query)
    }
    stopped.failIn = _ => false
    stopped.start().settle()
    assert((told ++ byBatch(stopped.query)).toMap === expected)
  }

  test("rows before 1970, and in the second before") {
    val in = events()
    val run = new Run(counts(keyed(in.toDF()))).start()
    in.addData(event("a", -100), event("a", -0.5))
    run.settle()
    in.addData(event("a", 1))
    run.settle()
    assert(
      told(run).take(3) === Seq(
        Map(
          "min" -> "1969-12-31T23:58:20.000Z",
          "max" -> "1969-12-31T23:59:59.500Z",
          "avg" -> "1969-12-31T23:59:09.750Z"
        ),
        Map("watermark" -> "1969-12-31T23:59:57.500Z"),
        batch(1, 1, 1) ++ Map("watermark" -> "1969-12-31T23:59:57.500Z")
      )
    )
  }

  test("only NULL times: nothing to tell") {
    val in = events()
    val run = new Run(keyed(in.toDF())).start()
    in.addData(Event("a", null, 1), Event("b", null: Timestamp, 2))
    run.settle()
    assert(told(run) === Seq(Map.empty))
    in.addData(Event("a", null, 1), event("b", 7))
    run.settle()
    assert(told(run).last === batch(7, 7, 7))
  }

  test("times before the year 1 are left out, because Spark's format cannot show them") {
    val in = events()
    val run = new Run(keyed(in.toDF())).start()
    val first = EventTimeReporter.FirstMs / 1000
    in.addData(event("a", first.toDouble))
    run.settle()
    in.addData(event("a", first.toDouble + 1))
    run.settle()
    assert(
      told(run).map(_.get("min")) === Seq("0001-01-01T00:00:00.000Z", "0001-01-01T00:00:01.000Z")
        .map(Some(_))
    )
    assert(told(run).map(_.get("watermark")) === Seq(None, None))
  }

  test("the end of time") {
    val folder = files(Seq(event("a", 10)))
    val frame = counts(stream(folder).withKeyedWatermark("time", "2 seconds", flush = true))
    val run = new Run(frame).runOnce(Trigger.AvailableNow())
    assert(told(run).last === Map("watermark" -> "+294247-01-10T04:00:54.775Z"))
    assert(TestQueries.gauge(run.query, "eventTime-watermark") === core.EndOfTime.Ms)
  }

  test("the gauge of Spark's metrics") {
    withConf("spark.sql.streaming.metricsEnabled" -> "true") {
      val in = events()
      val run = new Run(counts(keyed(in.toDF())))
      run.start()
      def gauge = TestQueries.reportedGauge(run.query, "eventTime-watermark")
      run.settle()
      assert(gauge === None)
      in.addData(event("a", 10))
      run.settle()
      assert(gauge === Some(8000L))
      in.addData(event("a", 42))
      run.settle()
      assert(gauge === Some(40000L))
      run.restart().settle()
      assert(gauge === Some(40000L))
    }
  }

  test("listeners are told the same, in JSON too") {
    val in = events()
    val heard = new java.util.concurrent.ConcurrentLinkedQueue[StreamingQueryProgress]()
    val listener = new StreamingQueryListener {
      import StreamingQueryListener._
      override def onQueryStarted(event: QueryStartedEvent): Unit = ()
      override def onQueryProgress(event: QueryProgressEvent): Unit = {
        heard.add(event.progress)
        ()
      }
      override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ()
    }
    spark.streams.addListener(listener)
    try {
      val run = new Run(counts(keyed(in.toDF()))).start()
      in.addData(event("a", 10))
      run.settle()
      val expected = told(run)
      assert(expected.size === 2)
      TestQueries.drainListeners(spark)
      assert(heard.asScala.toSeq.map(timesOf) === expected)
      assert(heard.asScala.last.json.contains(s""""eventTime":{"watermark":"${text(8)}"}"""))
    } finally spark.streams.removeListener(listener)
  }

  test("a query that has withWatermark as well tells of Spark's watermark") {
    val (own, of) = (events(), events())
    val run = new Run(
      keyed(own.toDF())
        .dropDuplicates("time")
        .select("time")
        .union(of.toDF().withWatermark("time", "1 second").dropDuplicates("time").select("time"))
    )
    run.start().settle()
    assert(timesOf(run.query.lastProgress) === Map.empty)
    own.addData(event("a", 50))
    of.addData(event("a", 10))
    run.settle()
    assert(told(run).head === batch(10, 10, 10))
    assert(told(run)(1) === watermark(9))
  }

  test("a Java that protects the reporter: the figures are missing, and a warning says why") {
    val in = events()
    val run = new Run(keyed(in.toDF())).start()
    run.settle()
    val execution = SparkInternals.execution(run.query).get
    val lines = LogLines.during(EventTimeReporter.getClass.getName.stripSuffix("$")) {
      EventTimeReporter.install(execution, field = "nowhere")(QueryReports.later(???))
    }
    assert(
      lines === Seq(
        "`eventTime` of the progress, the gauges of event time and tidegate.progress(query) stay " +
          "empty, because Spark's reporter cannot be replaced: java.lang.NoSuchFieldException: " +
          "nowhere. Ask tidegate.watermarks(query) instead."
      )
    )
  }

  /** More at night, with `-Dtidegate.cases=50`. */
  private val seeds = 1 to math.max(1, sys.props.get("tidegate.cases").fold(1)(_.toInt / 10))

  private def watched(in: DataFrame): DataFrame = in.withWatermark("time", "3 seconds")

  Seq[(String, DataFrame => DataFrame)](
    "windows" -> (in => counts(watched(in))),
    "sessions" -> (in =>
      watched(in).groupBy(session_window(col("time"), "3 seconds"), col("n")).count()
    ),
    "a deduplication" -> (in => watched(in).dropDuplicates("time", "n")),
    "no operator" -> (in => watched(in)),
    "a join" -> { in =>
      val times = expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time")
      watched(in).as("l").join(watched(in).as("r"), times).select("l.n")
    }
  ).foreach { case (title, job) =>
    test(s"replaced watermarks tell what Spark tells of the same job: $title") {
      seeds.foreach { seed =>
        val random = new Random(seed)
        val rows = Seq.tabulate(8) { n =>
          Seq.fill(1 + random.nextInt(4)) {
            event("a", n * 4 + random.nextInt(12) + random.nextInt(1000) / 1000.0)
          }
        }
        val folder = files(rows: _*)
        def run(): Map[Long, Times] = {
          val ended = new Run(job(stream(folder))).start().settle().stop()
          byBatch(ended.query)
        }
        val none = "1970-01-01T00:00:00.000Z"
        val spark = run().transform((_, times) => times.filter(_ != "watermark" -> none))
        assert(spark.size >= rows.size)
        assert(spark.values.count(_.contains("watermark")) >= 6)
        withConf(
          "spark.tidegate.replaceWithWatermark" -> "true",
          "spark.tidegate.lateness" -> "slowest"
        ) {
          withClue(s"seed $seed: ")(assert(run() === spark))
        }
      }
    }
  }
}
