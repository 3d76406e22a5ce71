package tidegate
package own.sessions

import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{Column, DataFrame, Row}
import tidegate.settings.Settings.SessionsEnabled

/** Sessions that Tidegate merges, in queries, against Spark's operator and Spark's batch result. */
class SessionSuite extends SessionTest {

  override protected def atNight: Seq[String] = Seq(
    "constant keys: row",
    "a key of bytes: row",
    "times without a zone: row",
    "HAVING: row",
    "odd keys: row",
    "SQL without a key: row",
    "numbers: row",
    "windows over sessions: row"
  )

  private def byNumber(rows: DataFrame): DataFrame = inSessions(rows, "3 seconds")

  private def by(keys: Column*)(rows: DataFrame): DataFrame =
    keyed(rows)
      .groupBy(session_window(col("time"), "3 seconds") +: keys: _*)
      .agg(count("*"), sort_array(collect_list("n")), max("sub"))

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "numbers" -> byNumber,
    "a NULL key" -> by(expr("nullif(n, 1)").as("k")),
    "odd keys" -> (by(
      col("n").cast("decimal(38,3)").as("d"),
      array(col("sub"), lit(null)).as("a"),
      struct(col("sub"), lit(Double.NaN).as("nan")).as("s"),
      (-lit(0.0) * col("n")).as("zero")
    )(_)),
    "constant keys" -> { rows =>
      keyed(rows)
        .groupBy(
          lit("start").as("kind"),
          lit(2).as("version"),
          col("sub"),
          session_window(col("time"), "3 seconds")
        )
        .agg(round(avg("n"), 2), count("*"))
    },
    "a key of bytes" -> (by(col("sub").cast("binary").as("b"))(_).withColumn("b", hex(col("b")))),
    "times without a zone" -> { rows =>
      inSessions(rows.withColumn("time", col("time").cast("timestamp_ntz")), "3 seconds")
    },
    "HAVING" -> (byNumber(_).where(col("count(1)") > 1)),
    "SQL without a key" -> { rows =>
      keyed(rows).createOrReplaceTempView("session_suite")
      rows.sparkSession.sql(
        """SELECT window_start, window_end, count(*), avg(n)
          FROM SESSION(TABLE(session_suite), DESCRIPTOR(time), INTERVAL 2 SECONDS)
          GROUP BY window_start, window_end"""
      )
    },
    "windows over sessions" -> (byNumber(_)
      .groupBy(window(window_time(col("session_window")), "10 seconds"))
      .agg(count("*"), sum("count(1)")))
  )

  /** Time moves on, jumps by years, and stands still; with NULL times and empty steps. */
  private def steps(seed: Int): Seq[Seq[Event]] = {
    val random = new Random(seed)
    var now = if (seed % 2 == 0) -20.0 else 100.0
    (1 to 12).map { i =>
      now += (i match {
        case 7     => 100000000.0
        case 3 | 4 => 0.0
        case _     => random.nextInt(9).toDouble
      })
      Seq.fill(random.nextInt(12)) {
        val e = event(
          "abc".charAt(random.nextInt(3)).toString,
          now - random.nextInt(5),
          random.nextInt(3)
        )
        if (random.nextInt(10) == 0) e.copy(time = null.asInstanceOf[Timestamp]) else e
      }
    }
  }

  /** The rows of each step, with a restart before it, and the late rows at its end. */
  private def answers(query: DataFrame => DataFrame, seed: Int, own: Boolean): Seq[String] =
    withFrames(own) {
      val in = feed()
      val run = harness(query(in.toDF()))
      steps(seed).map { rows =>
        run.restart()
        in.addData(rows)
        run.settle()
        assert(run.plan.isEmpty || isOwn(run) === own)
        val late = run.lateRows.toSeq.sorted.map { case (name, n) => s"$n late for $name" }
        (run.take() ++ late).mkString(", ")
      }
    }

  for (((title, query), i) <- queries.zipWithIndex)
    test(s"$title: row for row as Spark's operator") {
      for ((stores, seed) <- inPairs(i)) withClue(s"seed $seed: ") {
        val ofSpark = answers(query, seed, own = false)
        assert(ofSpark.exists(_.contains("|")))
        on(stores)(assert(answers(query, seed, own = true) === ofSpark))
      }
    }

  test("in a stream, row for row as in the harness") {
    withFrames(enabled = true) {
      val in = events()
      val run = new Run(byNumber(in.toDF())).start()
      val found = steps(3).map { rows =>
        run.restart()
        in.addData(rows)
        run.settle()
        assert(isOwn(run))
        val late = run.lateRows.toSeq.sorted.map { case (name, n) => s"$n late for $name" }
        (run.take() ++ late).mkString(", ")
      }
      run.stop()
      assert(found === answers(byNumber, 3, own = true))
    }
  }

  test("kills change nothing, and the rows are those of a table") {
    val rows = steps(5).map(_.filter(_.time != null).sortBy(_.time.getTime)).filter(_.nonEmpty) :+
      Seq(event("a", 1e9), event("b", 1e9), event("c", 1e9))
    def query(rows: DataFrame) =
      rows.withKeyedWatermark("time", "10 seconds").transform(grouped(_, "3 seconds"))
    val table = query(spark.createDataset(rows.flatten)(KeyedStreamTest.eventEncoder).toDF())
      .where(col("session_window.start") < at(1e9))
      .collect()
      .map(KeyedStreamTest.text)
      .toSeq
      .sorted
    withFrames(enabled = true) {
      onEach {
        val run = checkKilled(query(feed(rows: _*).toDF()))
        assert(run.log.size > 10)
        assert(run.answer === table)
      }
    }
  }

  onBothStores("flush ends the sessions and leaves no state, pages of due keys neither") {
    withFrames(enabled = true) {
      val folder = files((1 to 4).map(b => (1 to 9).map(i => event("a", 9.0 * b + i, i % 7))): _*)
      val keyed = stream(folder).withKeyedWatermark("time", "2 seconds", flush = true)
      val run = new Run(grouped(keyed, "3 seconds")).runOnce(Trigger.AvailableNow())
      assert(run.rows.map(_.getLong(2)).sum === 36)
      assert(run.stateRows === 0)
      // In RocksDB the number of rows stays.
      val isLeft = "key.due_page IS NULL OR value.due IS NOT NULL"
      if (SparkFeatures.readsState(spark.conf)) assert(state(run).where(isLeft).count() === 0)
    }
  }

  test("many sessions of a key are in chunks, whose rows Spark reads") {
    assume(SparkFeatures.readsState(spark.conf))
    withFrames(enabled = true)(onEach {
      val in = feed()
      val run = harness(byNumber(in.toDF())).start()
      in.addData(event("b", 0, 9) +: (0 until 200).map(i => event("a", i * 10.0, 1)))
      run.settle().stop()
      val read = state(run).where("key.due_page IS NULL")
      val sessions = read.selectExpr("key.n", "key.chunk", "inline(value.rest.sessions)")
      assert(sessions.where("chunk IS NOT NULL").count() > 100)
      assert(sessions.where("n = 1").select("start", "end").distinct().count() === 200)
      assert(sessions.columns.toSeq === Seq("n", "chunk", "start", "end", "count(1)", "sum(n)"))
      // A key with one session has the session in its own columns.
      val own = Seq("start", "end", "count(1)", "sum(n)").map(name => col(s"value.`$name`"))
      val single = read.where("value.rest IS NULL").select(col("key.n") +: own: _*)
      assert(single.collect().toSeq === Seq(Row(9, at(0), at(3), 1L, 9L)))
    })
  }

  test("Spark reads the keys, their sessions, and the pages in which their times are") {
    assume(SparkFeatures.readsState(spark.conf))
    withFrames(enabled = true)(onEach {
      val in = feed()
      val run = harness(byNumber(in.toDF())).start()
      in.addData((0 until 1000).map(i => event("a", 10.0 + i % 3, i)))
      run.settle()
      assert(run.operators === Seq("sessionAggregate"))
      assert(run.metric("numUpdatedStateRows").sum === 1000)
      assert(run.stateRows === 1000)
      in.addData(event("a", 100, 0))
      run.settle()
      // The other key has a new session.
      assert(run.metric("numRemovedStateRows").sum === 999)
      assert(run.stateRows === 1)
      run.stop()
      val read = state(run)
      val keys = read.where("key.due_page IS NULL")
      assert(keys.select("key.n").collect().map(_.getInt(0)).toSeq === Seq(0))
      assert(keys.selectExpr("value.look_at").head().getTimestamp(0) === at(103))
      assert(read.select(explode(col("value.due.entries.due_at"))).count() === 1)
      val metadata = spark.read.format("state-metadata").load(run.checkpoint.toString)
      assert(metadata.select("operatorName").head().getString(0) === "sessionAggregate")
    })
  }

  test("a batch writes the keys of its rows, and a session that grows no page") {
    withFrames(enabled = true)(onEach {
      val in = feed()
      val run = harness(byNumber(in.toDF())).start()
      in.addData((0 until 500).map(i => event("a", 10.0, i)))
      run.settle()
      in.addData(event("a", 11, 7))
      run.settle()
      assert(run.metric("numUpdatedStateRows").filter(_ > 0) === Seq(500, 1))
    })
  }

  test("EXPLAIN names the operator, or says why not") {
    withFrames(enabled = true) {
      val in = keyed(events().toDF())
      val session = session_window(col("time"), "3 seconds")
      assert(explained(grouped(in, "3 seconds")).contains("sessions with a gap of 3 s"))
      def reason(df: DataFrame) = "KeptBySpark: [^\n]*".r.findFirstIn(explained(df))
      assert(
        reason(
          in.groupBy(session_window(col("time"), expr("make_interval(0,0,0,0,0,0,n)")), col("n"))
            .count()
        ) ===
          Some("KeptBySpark: the gap of the sessions is not the same for all rows")
      )
      assert(
        reason(in.groupBy(session, col("n")).agg(expr("count(DISTINCT sub COLLATE UTF8_LCASE)")))
          .exists(
            _.endsWith("is distinct, and cannot be merged")
          )
      )
      assert(
        reason(in.groupBy(session_window(col("time"), "1 month"), col("n")).count()) ===
          Some("KeptBySpark: the gap of the sessions is not the same for all rows")
      )
    }
    withFrames(enabled = false) {
      val plan = explained(grouped(keyed(events().toDF()), "3 seconds"))
      assert(plan.contains("SessionWindowStateStoreSave"))
      assert(plan.contains(s"KeptBySpark: $setting is false"))
    }
  }

  test("a replaced watermark keeps Spark's sessions, for the way back") {
    withConf(
      SessionsEnabled.key -> "true",
      "spark.tidegate.replaceWithWatermark" -> "true"
    ) {
      val in = events()
      val run =
        new Run(grouped(in.toDF().withWatermark("time", "2 seconds"), "3 seconds")).start()
      in.addData(event("a", 10))
      run.settle()
      assert(!isOwn(run))
      run.stop()
    }
  }
}
