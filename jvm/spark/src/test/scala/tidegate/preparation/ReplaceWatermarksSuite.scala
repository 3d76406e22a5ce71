package tidegate
package preparation

import scala.util.Random

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{AnalysisException, DataFrame, Encoders}
import tidegate.own.HarnessTest

/**
 * Jobs that call `withWatermark`, unchanged, whose watermarks become keyed ones. Spark's own run of
 * the same job is the oracle.
 */
class ReplaceWatermarksSuite extends HarnessTest {
  import ReplaceWatermarksSuite._

  override protected def atNight: Seq[String] = Seq(
    "Spark: a filter above",
    "Spark: filters above",
    "Spark: a condition on",
    "Spark: a filter that",
    "Spark: a join on windows",
    "over restarts",
    "Spark: sessions",
    "Spark: an inner join",
    "Spark: sliding windows"
  )

  private def replacing[T](lateness: String)(body: => T): T = withConf(
    "spark.tidegate.replaceWithWatermark" -> "true",
    "spark.tidegate.lateness" -> lateness,
    "spark.sql.streaming.statefulOperator.checkCorrectness.enabled" -> "true"
  )(body)

  private def watched(in: DataFrame, lag: String = "3 seconds"): DataFrame =
    in.withWatermark("time", lag)

  private def named(in: DataFrame, alias: String): DataFrame = watched(in).as(alias)

  /** More at night, with `-Dtidegate.cases=50`. */
  private val seeds = 1 to math.max(1, sys.props.get("tidegate.cases").fold(1)(_.toInt / 10))

  /** Batches around a time that goes on, with rows that are late by some seconds. */
  private def random(seed: Int, batches: Int = 9): Seq[Seq[Event]] = {
    val random = new Random(seed)
    val rows = Seq.tabulate(batches) { batch =>
      Seq.fill(1 + random.nextInt(5)) {
        val second = math.max(1, batch * 4 + random.nextInt(12) - 8)
        event(s"s${random.nextInt(2)}", second.toDouble, random.nextInt(3))
      }
    }
    rows :+ Seq(event("s0", 1000)) :+ Seq(event("s0", 1001))
  }

  /** Of the jobs over restarts, the others run with `-Dtidegate.stores=all`. */
  private val always = Set(
    "tumbling windows",
    "sessions",
    "dropDuplicatesWithinWatermark",
    "a chain of two windows",
    "a left outer join",
    "windows over a union",
    "a function with state"
  )

  private def count5(in: DataFrame, windows: String*): DataFrame =
    in.groupBy(
      window(col("time"), windows.head, windows.lift(1).getOrElse(windows.head)),
      col("sub")
    ).agg(count("*"), sum("n"))

  private def jobs: Seq[(String, DataFrame => DataFrame)] = Seq(
    "tumbling windows" -> (in => count5(watched(in), "5 seconds")),
    "sliding windows" -> (in => count5(watched(in), "6 seconds", "2 seconds")),
    "sessions" -> (in =>
      watched(in).groupBy(session_window(col("time"), "3 seconds"), col("sub")).agg(count("*"))
    ),
    "an aggregation by the time itself" -> (in => watched(in).groupBy("time", "sub").count()),
    "dropDuplicates" -> (in => watched(in).dropDuplicates("time", "n")),
    "dropDuplicatesWithinWatermark" -> (in => watched(in).dropDuplicatesWithinWatermark("n")),
    "distinct" -> (in => watched(in).select("time", "n").distinct()),
    "a chain of two windows" -> { in =>
      val first = watched(in).groupBy(window(col("time"), "2 seconds"), col("sub")).count()
      first.groupBy(window(window_time(col("window")), "6 seconds")).agg(sum("count"))
    },
    "an inner join" -> { in =>
      val times = expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time")
      named(in.where("sub = 's0'"), "l").join(named(in.where("sub = 's1'"), "r"), times)
    },
    "a left outer join" -> { in =>
      val times = expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time")
      val right = named(in.union(in.select(lit("s1"), col("time"), col("n"))), "r")
      named(in, "l").join(right.where("sub = 's1'"), times, "leftOuter")
    },
    "a join on the time itself" -> { in =>
      named(in.where("sub = 's0'"), "l")
        .join(named(in.where("sub = 's1'"), "r"), expr("l.time = r.time"))
    },
    "a join on windows, one of a time without a watermark" -> { in =>
      val w = window(col("time"), "5 seconds").as("w")
      watched(in.where("sub = 's0'"))
        .select(w, col("n").as("l"))
        .join(in.where("sub = 's1'").select(w, col("n").as("r")), "w")
    },
    "windows over a union" -> (in => count5(watched(in).union(watched(in)), "5 seconds")),
    "windows over a join" -> { in =>
      val times = expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time")
      val (l, r) = (named(in.where("sub = 's0'"), "l"), named(in.where("sub = 's1'"), "r"))
      l.join(r, times).groupBy(window(col("l.time"), "5 seconds")).count()
    },
    "a filter above the watermark" -> (in => count5(watched(in).where("n < 2"), "5 seconds")),
    "filters above a projection, one of the time" -> { in =>
      val doubled = watched(in).select(col("time"), col("sub"), (col("n") * 2).as("n"))
      count5(doubled.where("n <= 2 AND time > '1970-01-01 00:00:05'"), "5 seconds")
    },
    "a filter above a union" -> { in =>
      count5(watched(in).union(watched(in.where("n > 0"))).where("sub = 's0'"), "5 seconds")
    },
    "a condition on one side of a join" -> { in =>
      val times = "l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time"
      val right = named(in.union(in.where("n > 1")), "r")
      named(in, "l").join(right, expr(s"$times AND r.sub = 's1'"), "leftOuter")
    },
    "a filter that is inferred for the other side of a join" -> { in =>
      val times = expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time")
      named(in, "l").where("l.n = 1").join(named(in, "r"), times)
    },
    "a function with state" -> (in => lastOf(watched(in))),
    "TUMBLE of SQL" -> inSql("TUMBLE", "INTERVAL 5 SECONDS", "window_start, window_end"),
    "TUMBLE of SQL by window_start alone" -> inSql("TUMBLE", "INTERVAL 5 SECONDS", "window_start"),
    "TUMBLE of SQL by window_end alone" -> inSql("TUMBLE", "INTERVAL 5 SECONDS", "window_end"),
    "SESSION of SQL" -> { in =>
      watched(in).createOrReplaceTempView("replaced")
      spark.sql(
        "SELECT window_start, window_end, sub, count(*) FROM SESSION(TABLE(replaced) PARTITION BY " +
          "sub, DESCRIPTOR(time), INTERVAL 3 SECONDS) GROUP BY window_start, window_end, sub"
      )
    },
    "sliding windows of SQL" -> inSql("HOP", six + ", " + two, "window_start, window_end"),
    "sliding windows of SQL by window_start alone" -> inSql(
      "HOP",
      six + ", " + two,
      "window_start"
    ),
    "sliding windows that grow" -> inSql("CUMULATE", two + ", " + six, "window_start, window_end")
  )

  private val two = "INTERVAL 2 SECONDS"
  private val six = "INTERVAL 6 SECONDS"

  private def inSql(function: String, windows: String, keys: String)(in: DataFrame): DataFrame = {
    watched(in).createOrReplaceTempView("replaced")
    spark.sql(
      s"SELECT $keys, sub, count(*), sum(n) FROM $function(TABLE(replaced), DESCRIPTOR(time), " +
        s"$windows) GROUP BY $keys, sub"
    )
  }

  private def clauses: Seq[(String, DataFrame => DataFrame)] = Seq(
    "a WATERMARK clause of SQL" -> { in =>
      in.createOrReplaceTempView("plain")
      spark.sql(
        "SELECT window(time, '5 seconds') AS w, sub, count(*) FROM plain WATERMARK time DELAY OF " +
          "INTERVAL 3 SECONDS GROUP BY w, sub"
      )
    }
  )

  /** The last number of each substream, when it has been silent for five seconds. */
  private def lastOf(in: DataFrame): DataFrame = in
    .as[Event](KeyedStreamTest.eventEncoder)
    .groupByKey(_.sub)(Encoders.STRING)
    .flatMapGroupsWithState[Long, (String, Long)](
      OutputMode.Append(),
      GroupStateTimeout.EventTimeTimeout()
    )(lastTime _)(Encoders.scalaLong, Encoders.tuple(Encoders.STRING, Encoders.scalaLong))
    .toDF()

  private type Job = (String, DataFrame => DataFrame)

  /** Their watermarks see all rows, so as branches of one query they have the watermark of each. */
  private val onAllRows = Set(
    "tumbling windows",
    "an aggregation by the time itself",
    "dropDuplicates",
    "dropDuplicatesWithinWatermark",
    "a chain of two windows",
    "SESSION of SQL"
  )

  /** As these, in other words. */
  private val onAllRowsToo = Set(
    "sessions",
    "distinct",
    "windows over a union",
    "TUMBLE of SQL",
    "TUMBLE of SQL by window_start alone",
    "TUMBLE of SQL by window_end alone",
    "a WATERMARK clause of SQL"
  )

  /** Their windows are put together from frames. */
  private val fromFrames = Set(
    "sliding windows",
    "sliding windows of SQL",
    "sliding windows of SQL by window_start alone",
    "sliding windows that grow"
  )

  /** Each has a watermark on the rows of one substream, and one on those of the other. */
  private val onBothHalves =
    Set("an inner join", "a join on the time itself", "windows over a join")

  /** What begins the groups that replace the watermarks of a stream; the others need none. */
  private val inStreams = Set("an inner join", "a function with state")

  private def groups: Seq[Seq[Job]] = {
    val all = jobs ++ clauses.filter(_ => SparkFeatures.hasWatermarkClause)
    val together = Seq(onAllRows, onAllRowsToo, onBothHalves, fromFrames)
    together.map(titles => all.filter(job => titles(job._1))) ++
      all.filterNot(job => together.exists(_(job._1))).map(Seq(_))
  }

  private def united(group: Seq[Job])(in: DataFrame): DataFrame =
    if (group.size == 1) group.head._2(in)
    else Branches.of(group.map { case (title, job) => title -> job(in) })

  groups.foreach { group =>
    val title = group.map(_._1).mkString(", ")
    test(s"with the slowest watermark, the rows of Spark: $title") {
      seeds.foreach { seed =>
        val folder = files(random(seed): _*)
        val spark = new Run(united(group)(stream(folder))).start().settle()
        val held = spark.stateRows
        spark.stop()
        replacing("slowest") {
          val isStream = StateStoreKind.areAll || inStreams(group.head._1)
          val replaced: CollectedBatches =
            if (isStream) new Run(united(group)(stream(folder))).start().settle()
            else harness(united(group)(feedOf(folder).toDF())).start().settle()
          withClue(s"seed $seed: ")(assert(replaced.answer === spark.answer))
          assert(spark.answer.nonEmpty)
          if (group.size > 1) assert(Branches.answers(spark.rows).keySet === group.map(_._1).toSet)
          // Frames hold a row for each key, Spark one for each window.
          if (!title.contains("sliding")) assert(replaced.stateRows === held)
        }
      }
    }
  }

  // Other suites have the same operators over restarts, with watermarks that are called keyed.
  test("each operator on its own watermark, over restarts") {
    replacing("own") {
      val folder = files(random(5, batches = 4): _*)
      val (functions, others) =
        jobs
          .filter(job => StateStoreKind.areAll || always(job._1))
          .partition(_._1.contains("function"))
      (Seq(others) ++ functions.map(Seq(_))).foreach { group =>
        checkKills(united(group)(stream(folder)))
      }
    }
  }

  private def refused(job: => DataFrame, settings: (String, String)*): AnalysisException =
    replacing("own")(withConf(settings: _*) {
      intercept[AnalysisException](new Run(job).start())
    })

  private def keysOf(run: Run): Map[String, Int] =
    run.running.nodes.map(k => k.spec.name -> k.spec.key.toInt).toMap

  test("watermarks whose columns meet in a union share a key, the sides of a join do not") {
    replacing("own") {
      val (a, b) = (events().toDF(), events().toDF())
      val (c, d) = (events().toDF(), events().toDF())
      def timed(in: DataFrame, name: String) =
        in.withColumnRenamed("time", name).withWatermark(name, "1 second")
      val left = timed(a, "a").union(timed(b, "b")).as("l")
      val right = timed(c, "c").union(timed(d, "d")).as("r")
      val run = new Run(
        left.join(right, expr("l.n = r.n AND l.a BETWEEN r.c AND r.c + INTERVAL 1 SECOND"))
      ).start().settle()
      assert(keysOf(run) === Map("a" -> 0, "b" -> 0, "c" -> 1, "d" -> 1))
    }
  }

  test("a row of the faster side, which Spark still joins, is late for its own watermark") {
    def joined(lateness: Option[String]): Seq[String] = {
      val (orders, deliveries) = (events(), events())
      def stream(in: DataFrame, alias: String) = in.withWatermark("time", "1 minute").as(alias)
      def query = stream(orders.toDF(), "o").join(
        stream(deliveries.toDF(), "d"),
        expr("o.n = d.n AND d.time BETWEEN o.time AND o.time + INTERVAL 10 MINUTES")
      )
      def run(): Seq[String] = {
        val run = new Run(query.select("o.n")).start()
        orders.addData(event("o", 600, 1))
        deliveries.addData(event("d", 120, 2))
        run.settle()
        orders.addData(event("o", 300, 3))
        run.settle()
        deliveries.addData(event("d", 310, 3))
        run.settle().stop().answer
      }
      lateness.fold(run())(replacing(_)(run()))
    }
    assert(joined(None) === Seq("3"))
    assert(joined(Some("slowest")) === Seq("3"))
    assert(joined(Some("own")) === Nil)
  }

  test("keys that the query has given out are left to it") {
    replacing("own") {
      val keyed = events().toDF().withColumnRenamed("time", "own").toDF()
      val own = keyed.withKeyedWatermark("own", "1 second", name = "own").dropDuplicates("own")
      val replaced = watched(events().toDF()).dropDuplicates("time")
      val run = new Run(own.select("own").union(replaced.select("time"))).start().settle()
      assert(keysOf(run) === Map("own" -> 0, "time" -> 1))
    }
  }

  test("without the setting, Spark's watermark stays") {
    val in = events()
    in.addData(event("a", 1))
    val run = new Run(count5(watched(in.toDF()), "5 seconds")).start().settle()
    assert(run.query.lastProgress.sources.length === 1)
  }

  test("a query without a watermark stays as it is") {
    replacing("own") {
      val in = events()
      in.addData(event("a", 1))
      val run = new Run(in.toDF().dropDuplicates("n")).start().settle()
      assert(run.query.lastProgress.sources.length === 1)
      assert(run.answer === Seq("a|1|1"))
    }
  }

  test("a time whose watermark is gone is refused, and does not wait for ever") {
    val (keyed, marked) = (events(), events())
    val time = new MetadataBuilder().putLong("spark.watermarkDelayMs", 1000).build()
    def query = keyed
      .toDF()
      .withKeyedWatermark("time", "1 second")
      .dropDuplicates("time")
      .select(lit(1L).as("n"))
      .union(
        marked
          .toDF()
          .select(col("time").as("time", time))
          .groupBy(window(col("time"), "5 seconds"))
          .count()
          .select("count")
      )
    val error = intercept[AnalysisException](new Run(query).start())
    assert(
      error.getMessage.split(";\n").head === "[TIDEGATE_TIME_WITHOUT_WATERMARK] The operator " +
        "`aggregate` runs on the column `window`, which is marked as a time with a watermark, but no " +
        "watermark of the query reaches the column: nothing would ever leave the operator. Call " +
        "withKeyedWatermark on the column right before the operator. SQLSTATE: 42K0E"
    )
  }

  test("a second watermark on a stream") {
    val twice = events().toDF().withColumn("other", col("time"))
    val error = refused(watched(twice).withWatermark("other", "1 second").dropDuplicates("other"))
    assert(error.getCondition === "TIDEGATE_REPLACED_TWICE")
    assert(
      error.getMessage === "[TIDEGATE_REPLACED_TWICE] spark.tidegate.replaceWithWatermark cannot " +
        "replace the watermark on `other`, because its stream has a watermark on `time` already. " +
        "Remove one of the two calls of withWatermark. SQLSTATE: 0A000"
    )
  }

  test("a watermark on a window") {
    val windows = events().toDF().select(window(col("time"), "5 seconds").as("w"))
    val error = refused(windows.withWatermark("w", "1 second").groupBy("w").count())
    assert(
      error.getMessage === "[TIDEGATE_REPLACED_WINDOW] spark.tidegate.replaceWithWatermark " +
        "cannot replace the watermark on `w`, because the column is a window. Call withWatermark " +
        "on the time column that the window was made from. SQLSTATE: 0A000"
    )
  }

  test("more watermarks than there are keys") {
    val error = refused(Seq.fill(129)(watched(events().toDF())).reduce(_.union(_)))
    assert(
      error.getMessage === "[TIDEGATE_REPLACED_TOO_MANY] The query has 129 watermarks for " +
        "spark.tidegate.replaceWithWatermark to replace, but only 128 keys are free. Split the " +
        "query. SQLSTATE: 54000"
    )
  }

  test("two columns with a watermark in one operator") {
    val (l, r) = (named(events().toDF(), "l"), named(events().toDF(), "r"))
    val joined =
      l.join(r, expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time"))
    val both = joined.select(col("l.time").as("a"), col("r.time").as("b"))
    val error = refused(both.dropDuplicates("a", "b"))
    assert(
      error.getMessage === "[TIDEGATE_AMBIGUOUS_EVENT_TIME] The operator `deduplicate` sees more " +
        "than one column with a watermark key: `a`, `b`. Leave only one of them in its keys or " +
        "condition, or drop the others with select before it. SQLSTATE: 42702"
    )
  }

  test("the policy max") {
    val (a, b) = (events().toDF(), events().toDF())
    def union = watched(a).union(b.withColumnRenamed("time", "t").withWatermark("t", "1 second"))
    val error = refused(
      union.dropDuplicates("time"),
      "spark.sql.streaming.multipleWatermarkPolicy" -> "max"
    )
    assert(
      error.getMessage === "[TIDEGATE_REPLACED_POLICY_MAX] " +
        "spark.sql.streaming.multipleWatermarkPolicy is 'max', but " +
        "spark.tidegate.replaceWithWatermark replaces the watermarks on `time`, `t` by keyed " +
        "ones, of which none follows the fastest. Remove the first setting, or leave the second " +
        "out. SQLSTATE: 0A000"
    )
  }

  test("one watermark and the policy max") {
    replacing("own")(withConf("spark.sql.streaming.multipleWatermarkPolicy" -> "max") {
      val in = events()
      in.addData(event("a", 1), event("a", 1))
      val run = new Run(watched(in.toDF()).dropDuplicates("time")).start().settle()
      assert(run.answer === Seq("a|1|1"))
    })
  }
}

object ReplaceWatermarksSuite {

  def lastTime(
      sub: String,
      rows: Iterator[Event],
      state: GroupState[Long]
  ): Iterator[(String, Long)] =
    if (state.hasTimedOut) {
      val last = state.get
      state.remove()
      Iterator(sub -> last)
    } else {
      val last = (rows.map(_.time.getTime) ++ state.getOption.iterator).max
      state.update(last)
      state.setTimeoutTimestamp(math.max(last + 5000, state.getCurrentWatermarkMs() + 1))
      Iterator.empty
    }

}
