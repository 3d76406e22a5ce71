package tidegate
package execution

import java.nio.file.{Files, Path}
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.tidegate.{TestClock, TestQueries}
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.settings.Settings

/** The rows that operators drop as late, in a folder: whole, once, and as many as are counted. */
class LateFolderSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq(
    "kills change nothing",
    "part of window with an uneven slide:",
    "part of HOP:",
    "part of window, by",
    "part of CUMULATE, by"
  )

  private val folder = new AtomicReference[Path]()

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    folder.set(TempFolders.create("late"))
  }

  private def keyed(rows: DataFrame, to: String = folder.get.toString): DataFrame =
    rows.withKeyedWatermark(
      "time",
      "2 seconds",
      substream = Seq("sub"),
      name = "orders",
      lateRows = to
    )

  /** What was written, as text: without the times of the wall clock and the name of the query. */
  private def written(columns: String*): Seq[String] = {
    val all = spark.read.option("mergeSchema", "true").parquet(folder.get.toString)
    all.selectExpr(columns: _*).collect().toSeq.map(KeyedStreamTest.text).sorted
  }

  private val everything =
    Seq("operator", "watermark", "watermark_time", "event_time", "late_by_ms", "substream")

  /** Substream b pauses, time goes on without it, and then its rows come late. */
  private val batches: Seq[Seq[Event]] = Seq(
    Seq(event("a", 10), event("b", 10, 2)),
    Seq(event("a", 21, 3)),
    Seq(event("a", 35, 4), event("b", 36, 5)),
    Seq(event("a", 60, 6), event("b", 60, 7)),
    Seq(event("b", 12, 8), event("a", 13, 9), event("a", 61, 10)),
    Seq(event("a", 14, 11), event("b", 54, 16), event("a", 90, 12), event("b", 90, 13)),
    Seq(event("b", 15, 14), event("b", 200, 15), event("a", 200, 15))
  )

  test("whole rows, with operator, watermark, how late, substream, batch and wall clock") {
    val in = events()
    val run = new Run(
      keyed(in.toDF()).groupBy(window(col("time"), "10 seconds")).agg(max("n"))
    ).start()
    in.addData(event("a", 60, 1), event("b", 62, 1))
    run.settle()
    in.addData(event("b", 12.345, 8))
    run.settle().stop()
    assert(
      written(everything :+ "row.sub" :+ "row.time" :+ "row.n": _*) ===
        Seq("aggregate|orders|58|12.345|45655|b|b|12.345|8")
    )
    val Seq(row) = spark.read
      .parquet(folder.get.toString)
      .select("query", "batch_id", "wall_clock")
      .collect()
      .toSeq: @unchecked
    assert(row.getString(0) === run.query.id.toString)
    assert(run.byBatch.contains(row.getLong(1)))
    assert(row.getTimestamp(2).getTime === 1000000000L)
  }

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "tumbling windows" -> (_.groupBy(window(col("time"), "10 seconds"), col("sub")).count()),
    "sliding windows" ->
      (_.groupBy(window(col("time"), "10 seconds", "5 seconds"), col("sub")).count()),
    "sessions" -> (_.groupBy(session_window(col("time"), "5 seconds"), col("sub")).count()),
    "a deduplication" -> (_.dropDuplicates("sub", "time")),
    "event-time order" -> (_.orderByEventTime().toDF()),
    "windows over windows" -> { rows =>
      val inner = rows.groupBy(window(col("time"), "5 seconds"), col("sub")).count()
      inner.groupBy(window(window_time(col("window")), "10 seconds")).agg(sum("count"))
    }
  )

  /** Each query is a branch, whose operators have names of their own. */
  private def branches(rows: DataFrame): DataFrame =
    Branches.of(queries.map { case (title, query) => title -> query(keyed(rows)) })

  onBothStores("kills change nothing, and all that is counted is there") {
    val input = files(batches: _*)
    val clean = new Run(branches(stream(input))).start().settle()
    val columns = everything ++ Seq("batch_id", "row.n", "missed_windows", "partly_late")
    val (expected, counted) = (written(columns: _*), clean.lateRows)
    clean.stop()
    // The second of two windows in a chain has none.
    assert(counted.size === queries.size)
    assert(counted.values.forall(_ >= 4))
    val (partly, dropped) = expected.partition(_.endsWith("|true"))
    assert(dropped.groupMapReduce(_.takeWhile(_ != '|'))(_ => 1L)(_ + _) === counted)
    assert(partly.size === 1)

    folder.set(TempFolders.create("late"))
    val killed = new Run(branches(stream(input)))
    clean.byBatch.keys.toSeq.sorted.foreach { batch =>
      killed.failIn = _ == batch
      killed.start().awaitEnd()
    }
    killed.failIn = _ => false
    killed.start().settle().stop()
    assert(killed.byBatch === clean.byBatch)
    assert(written(columns: _*) === expected)
  }

  /** All kinds of windows that overlap, made from frames and by copying rows. */
  private val overlapping: Seq[(String, Boolean, DataFrame => DataFrame)] = for {
    isOwn <- Seq(true, false)
    (title, windows) <- Seq[(String, DataFrame => DataFrame)](
      "window" -> (_.groupBy(window(col("time"), "30 seconds", "10 seconds"), col("sub")).count()),
      "window with an uneven slide" ->
        (_.groupBy(window(col("time"), "25 seconds", "10 seconds", "3 seconds"), col("sub"))
          .count()),
      "HOP" -> (windowed(_, "HOP", "INTERVAL '30' SECONDS, INTERVAL '10' SECONDS")),
      "CUMULATE" -> (windowed(_, "CUMULATE", "INTERVAL '10' SECONDS, INTERVAL '30' SECONDS"))
    )
  } yield (title, isOwn, windows)

  private def windowed(rows: DataFrame, function: String, sizes: String): DataFrame = {
    rows.createOrReplaceTempView("rows_in_windows")
    spark.sql(
      "SELECT struct(window_start AS start, window_end AS end) AS window, sub, count(*) AS count " +
        s"FROM $function(TABLE rows_in_windows, DESCRIPTOR(time), $sizes) " +
        "GROUP BY window_start, window_end, sub"
    )
  }

  private def flat(windows: DataFrame): DataFrame =
    windows.selectExpr("window.start", "window.end", "sub", "count")

  private def texts(rows: DataFrame): Seq[String] = rows.collect().toSeq.map(KeyedStreamTest.text)

  /** The counts of each window, which the end of a line has, in all. */
  private def summed(lines: Iterable[String]): Map[String, Long] = lines
    .map(line => line.splitAt(line.lastIndexOf('|')))
    .groupMapReduce(_._1)(_._2.drop(1).toLong)(_ + _)

  for ((title, isOwn, windows) <- overlapping)
    test(s"late for a part of $title${if (isOwn) "" else ", by Spark's operator"}: as in batch") {
      withConf(Settings.WindowsEnabled.key -> isOwn.toString) {
        folder.set(TempFolders.create("late"))
        val more = batches.updated(5, batches(5) :+ event("b", 45, 17))
        val input = files(more :+ Seq(event("a", 500), event("b", 500)): _*)
        val run = new Run(flat(windows(keyed(stream(input))))).start().settle()
        val operator = watermarks(run.query).operators("aggregate")
        run.stop()
        val late = spark.read.parquet(folder.get.toString)
        val missed = late
          .selectExpr("explode(missed_windows) AS window", "row.sub")
          .groupBy("window", "sub")
          .count()
        val all = flat(windows(table(input))).where("end < timestamp_seconds(400)")
        assert(summed(run.byBatch.values.flatten ++ texts(flat(missed))) === summed(texts(all)))
        val partly = late.where("partly_late")
        assert(partly.count() === operator.partlyLateRows)
        assert(operator.partlyLateRows > 0)
        val windowsMissed = partly.selectExpr("sum(size(missed_windows))").head().getLong(0)
        assert(windowsMissed === operator.partlyLateWindows)
        assert(late.where("NOT partly_late").count() === operator.lateRows)
      }
    }

  test("a row that misses more windows than a row may have copies is counted, without a list") {
    withConf(Settings.WindowsMaxPerRow.key -> "2") {
      val in = events()
      val hops = windowed(keyed(in.toDF()), "HOP", "INTERVAL '30' SECONDS, INTERVAL '10' SECONDS")
      val run = new Run(hops).start()
      in.addData(event("a", 62), event("b", 62))
      run.settle()
      in.addData(event("a", 5, 2), event("a", 45, 3))
      run.settle()
      assert(watermarks(run.query).operators("aggregate").partlyLateWindows === 2)
      run.stop()
      assert(
        written("row.n", "cardinality(coalesce(missed_windows, array()))") === Seq("2|0", "3|2")
      )
    }
  }

  test("each side of a join has its own folder, and the rows behind it go to the first") {
    val other = TempFolders.create("late")
    val (in, out) = (events(), events())
    val left = keyed(in.toDF()).select("sub", "time", "n")
    val right = out
      .toDF()
      .select(col("sub").as("sub2"), col("time").as("time2"), col("n").as("N"))
      .withKeyedWatermark("time2", "2 seconds", 1, lateRows = other.toString)
    val run = new Run(
      left.join(right, expr("sub = sub2 AND time2 BETWEEN time AND time + INTERVAL 5 SECONDS"))
    ).start()
    in.addData(event("a", 60, 1))
    out.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2))
    out.addData(event("a", 2, 3))
    run.settle()
    assert(written("operator", "row.n") === Seq("join.left|2"))
    folder.set(other)
    assert(written("operator", "row.N") === Seq("join.right|3"))
    assert(run.lateRows === Map("join.left" -> 1L, "join.right" -> 1L))
  }

  test("names that come twice have a number, in any case of their letters") {
    val columns = Seq("id", "N", "n", "n_2", "n").map(AttributeReference(_, IntegerType)())
    val row = LateFolder.schema(columns).last.dataType.asInstanceOf[StructType]
    assert(row.fieldNames.toSeq === Seq("id", "N", "n_3", "n_2", "n_4"))
  }

  test("a task that runs twice writes once, and rows beyond the bound are counted") {
    withConf(Settings.MaxLateRowsPerBatch.key -> "2") {
      val in = events()
      val frame = keyed(in.toDF().coalesce(1)).groupBy(window(col("time"), "10 seconds")).count()
      val query = frame.writeStream
        .trigger(Trigger.ProcessingTime(0))
        .option("checkpointLocation", newCheckpoint().toString)
        .foreachBatch { (df: DataFrame, _: Long) =>
          df.collect()
          df.collect()
          ()
        }
        .start()
      in.addData(event("a", 60, 1))
      (1 to 3).foreach(_ => query.processAllAvailable())
      in.addData(event("a", 1, 2), event("a", 2, 3), event("a", 3, 4))
      (1 to 3).foreach(_ => query.processAllAvailable())
      assert(watermarks(query).operators("aggregate").lateRows === 3)
      assert(written("row.n") === Seq("2", "3"))
    }
  }

  /** What is written of a query that has no shuffle between the operator and its batch. */
  private def writtenBy(read: DataFrame => Unit): Seq[String] = {
    folder.set(TempFolders.create("late"))
    val in = events()
    val rows = keyed(in.toDF().repartition(2, col("n"))).dropDuplicatesWithinWatermark("n")
    val query = TestQueries.start(
      rows,
      newCheckpoint().toString,
      OutputMode.Append(),
      Trigger.ProcessingTime(0),
      new TestClock(1000000000L)
    )((batch, _) => read(batch))
    def late(n: Int) = Seq(event("a", 5, n), event("a", 200 + n, n + 100))
    for (sent <- Seq(Seq(event("a", 105, 0)), (1 to 8).flatMap(late), (9 to 12).flatMap(late))) {
      in.addData(sent)
      query.processAllAvailable()
    }
    query.stop()
    written("batch_id", "row.n")
  }

  /** As many partitions as the rows have before the operator: so Spark adds no shuffle. */
  private val withoutShuffle = "spark.sql.shuffle.partitions" -> "2"

  test("a batch that is read in other ways than as a whole by one thread")(
    withConf(withoutShuffle) {
      def all(batch: DataFrame): Int = batch.collect().length
      val wanted = writtenBy(all(_): Unit)
      assert(wanted.size === 12)
      val pool = Executors.newFixedThreadPool(1)
      try {
        // The thread begins before there is a query.
        assert(pool.submit(() => 1).get() === 1)
        assert(writtenBy(batch => pool.submit(() => all(batch)).get(): Unit) === wanted)
      } finally pool.shutdown()
      val ways = Seq[(String, DataFrame => Seq[Int])](
        "some rows at last" -> (batch => Seq(all(batch), batch.head(1).length)),
        "some rows first" -> (batch => Seq(batch.head(1).length, all(batch))),
        "twice in one task" -> (batch => Seq(all(batch.union(batch).coalesce(1))))
      )
      for ((way, read) <- ways) assert(writtenBy(read(_): Unit) === wanted, way)
    }
  )

  test("an operator whose name begins with an underscore") {
    val in = events()
    val counts = keyed(in.toDF()).groupBy(window(col("time"), "10 seconds")).count()
    val run = new Run(counts.tidegateName("_hourly").toDF()).start()
    for (second <- Seq(60, 1)) {
      in.addData(event("a", second.toDouble, second))
      run.settle()
    }
    run.stop()
    assert(written("operator", "row.n") === Seq("_hourly|1"))
    assert(LateFolder.has(new HadoopPath(folder.get.toString), new Configuration()))
  }

  test("the bound holds for all partitions that one task reads") {
    withConf(withoutShuffle, Settings.MaxLateRowsPerBatch.key -> "4") {
      val ways = Seq[DataFrame => DataFrame](batch => batch, batch => batch.union(batch))
      for (way <- ways) {
        val rows = writtenBy(way(_).coalesce(1).collect(): Unit)
        assert(rows.groupBy(_.takeWhile(_ != '|')).values.map(_.size) === Seq(4, 4))
      }
    }
  }

  test("several passes over a partition take from the bound once") {
    val left = new LateFiles.Allowance(4)
    def pass(partition: Int, rows: Long) = (0L until rows).count(left.take(partition, _))
    assert(Seq(pass(0, 1), pass(1, 2), pass(0, 2), pass(1, 9), pass(0, 9)) === Seq(1, 2, 2, 2, 2))
  }

  test("what an earlier run of a batch has left goes") {
    val in = events()
    val run = new Run(keyed(in.toDF()).groupBy(window(col("time"), "10 seconds")).count()).start()
    in.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2))
    run.settle()
    val file = parquetFiles.head
    val batch = run.byBatch.keys.max
    run.stop()
    // As of a task of the next batch, in a run with more partitions, and of one that was killed; and
    // of a later batch, before the checkpoint was set back.
    val parts = file.getFileName.toString.split('-')
    def named(number: Long, partition: Int) =
      f"${parts.dropRight(2).mkString("-")}-$number%08d-$partition%05d.parquet"
    val left = Seq(named(batch + 1, 7), s".${named(batch + 1, 8)}.99", named(batch + 2, 0))
    left.foreach { name =>
      Files.copy(file, folder.get.resolve(name))
    }
    run.start()
    in.addData(event("a", 3, 3))
    run.settle()
    in.addData(event("a", 4, 4))
    run.settle().stop()
    assert(written("row.n") === Seq("2", "3", "4"))
    assert(parquetFiles.size === 3)
  }

  test("the files of a query that was set back to its beginning go") {
    val in = events()
    val run = new Run(keyed(in.toDF()).groupBy(window(col("time"), "10 seconds")).count()).start()
    for (second <- Seq(60, 1, 2)) {
      in.addData(event("a", second.toDouble, second))
      run.settle()
    }
    run.stop()
    assert(parquetFiles.size === 2)
    Seq("offsets", "commits", "state").foreach { part =>
      FileUtils.deleteDirectory(run.checkpoint.resolve(part).toFile)
    }
    in.reset()
    run.start()
    // No row can be late in the first batch.
    in.addData(event("a", 60, 3))
    run.settle()
    assert(parquetFiles === Nil)
    in.addData(event("a", 4, 4))
    run.settle().stop()
    assert(written("row.n") === Seq("4"))
  }

  private def parquetFiles: Seq[Path] =
    Files
      .list(folder.get)
      .iterator
      .asScala
      .toSeq
      .filter(_.toString.contains(".parquet"))
      .filterNot {
        _.toString.endsWith(".crc")
      }

  test("no late rows: an empty folder") {
    val in = events()
    val run = new Run(keyed(in.toDF()).groupBy(window(col("time"), "10 seconds")).count()).start()
    in.addData(event("a", 60, 1))
    run.settle().stop()
    assert(parquetFiles === Nil)
  }

  private def refusal(query: => DataFrame): String = {
    val error = intercept[AnalysisException](new Run(query).start())
    error.getMessage
  }

  test("refused: no name, no folder, a type that Parquet does not have") {
    val in = events()
    assert(
      intercept[AnalysisException](keyed(in.toDF(), " ")).getMessage ===
        "[TIDEGATE_LATE_ROWS_EMPTY] The argument `lateRows` is empty. Leave it out to only count late " +
        "rows, or pass a table such as 'late_orders', or a folder such as '/data/late-orders'. SQLSTATE: 42602"
    )
    val file = Files.createFile(folder.get.resolve("file")).toString
    val found = refusal(keyed(in.toDF(), file).groupBy(window(col("time"), "1 minute")).count())
    assert(
      found.startsWith(
        s"[TIDEGATE_LATE_ROWS_FOLDER] The late rows of aggregate cannot go to the folder $file of " +
          "`lateRows`: "
      ) && found.endsWith(". Pass a folder that the query may write to. SQLSTATE: 58030")
    )
    assert(
      refusal(
        keyed(in.toDF())
          .withColumn("span", expr("make_interval(0, n)"))
          .groupBy(window(col("time"), "1 minute"))
          .agg(max(col("span").cast("string")))
      ) === "[TIDEGATE_LATE_ROWS_TYPE] The late rows of aggregate cannot be written: the column " +
        "`span` has the type INTERVAL, which Parquet files do not have. Cast or drop the column " +
        "before the operator, or leave out `lateRows`. SQLSTATE: 0A000"
    )
  }
}
