package tidegate
package operators

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.clock.EventTimeClock
import tidegate.own.HarnessTest
import tidegate.settings.Settings

/** Rows before 1970, and across it, are rows like all others: their batch result is the model. */
class BeforeTheEpochSuite extends HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "the state lets rows before 1970 go",
    "sliding windows without frames",
    "deduplication within the watermark forgets"
  )

  /** In order, and with some rows twice; the last row lets all others leave. */
  private val sent = Seq(
    Seq(event("a", -95, 1), event("b", -93, 2)),
    Seq(event("a", -81, 3), event("a", -81, 3), event("b", -80.5, 4)),
    Seq(event("a", -60, 5), event("b", -59, 6)),
    Seq(event("a", -7, 7), event("b", -3, 8), event("b", -7, 9)),
    Seq(event("a", -1, 10), event("b", -1, 11), event("b", 0, 12), event("b", 0, 12)),
    Seq(event("a", 1, 13), event("b", 0, 12), event("a", 12, 14)),
    Seq(event("a", 1000, 15), event("b", 1000, 16))
  )

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "5 seconds")

  private def others(rows: DataFrame): DataFrame = rows
    .select(col("sub"), col("time").as("at"), col("n").as("m"))
    .withKeyedWatermark("at", "5 seconds", key = 1)

  private def joined(joinType: String)(rows: DataFrame): DataFrame = keyed(rows)
    .streamJoin(
      others(rows),
      Seq("sub"),
      joinType,
      Between("time", "at", "-2 seconds", "6 seconds")
    )

  private def byFrames(rows: DataFrame): DataFrame =
    keyed(rows).groupBy(window(col("time"), "20 seconds", "10 seconds"), col("sub")).agg(sum("n"))

  /** The rows of before the last ones, for which not all windows are closed. */
  private def early(answer: Seq[String]): Seq[String] =
    answer.filterNot(raw"\d+".r.findAllIn(_).exists(_.toInt >= 900))

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "windows" -> (keyed(_).groupBy(window(col("time"), "10 seconds"), col("sub")).agg(sum("n"))),
    "sliding windows from frames" -> byFrames,
    "windows that grow" -> { rows =>
      keyed(rows).createOrReplaceTempView("before_the_epoch")
      spark.sql(
        """SELECT window_start, window_end, sum(n) FROM CUMULATE(TABLE before_the_epoch,
          |DESCRIPTOR(time), INTERVAL 10 SECONDS, INTERVAL 30 SECONDS)
          |GROUP BY window_start, window_end""".stripMargin
      )
    },
    "sessions" ->
      (keyed(_).groupBy(session_window(col("time"), "4 seconds"), col("sub")).agg(sum("n"))),
    "plain times" -> (keyed(_).groupBy("time", "sub").agg(sum("n"))),
    "distinct rows" -> (keyed(_).distinct()),
    "deduplication" -> (keyed(_).dropDuplicates("time", "sub")),
    "an inner join" -> joined("inner"),
    "a left outer join" -> joined("left_outer"),
    "a full outer join" -> joined("full_outer"),
    "a left semi join" -> joined("left_semi"),
    "event-time order" -> (keyed(_).orderByEventTime(Seq("sub")).toDF()),
    "a chain of two windows" -> { rows =>
      keyed(rows)
        .groupBy(window(col("time"), "10 seconds"), col("sub"))
        .agg(sum("n").as("n"))
        .groupBy(window(window_time(col("window")), "20 seconds"))
        .agg(sum("n"))
    }
  )

  onRocksDb("each operator, as a branch of one query, gives the batch result") {
    val folder = files(sent: _*)
    def all(rows: DataFrame): DataFrame =
      Branches.of(queries.map { case (title, query) => title -> query(rows) })
    // Without the last rows, at 00:16:40, for which not all windows are closed.
    def early(rows: Seq[Row]): Map[String, Seq[String]] =
      Branches.answers(rows.filterNot(_.getString(1).contains("1970-01-01 00:1")))
    val run = harness(all(feedOf(folder).toDF())).start().settle()
    val (expected, found) = (early(all(table(folder)).collect().toSeq), early(run.rows))
    queries.foreach { case (title, _) =>
      withClue(s"$title: ") {
        assert(expected(title).exists(_.contains("1969")))
        assert(found.get(title) === expected.get(title))
      }
    }
    assert(run.lateRows === Map.empty)
    assert(run.batchCount <= 2 * sent.size + 1, "no batches without end")
  }

  onRocksDb("sliding windows without frames") {
    withConf(Settings.WindowsEnabled.key -> "false") {
      val folder = files(sent: _*)
      val run = checkKilled(byFrames(feedOf(folder).toDF()))
      val expected = byFrames(table(folder)).collect().map(KeyedStreamTest.text).toSeq.sorted
      assert(early(run.answer) === early(expected))
      assert(run.lateRows === Map.empty)
    }
  }

  onBothStores("deduplication within the watermark forgets a row when its time is over") {
    val folder = files(
      Seq(event("a", -95, 1), event("a", -94, 1), event("a", -94, 2)),
      Seq(event("a", -92, 1), event("a", -91, 2)),
      Seq(event("a", -80, 3)),
      Seq(event("a", -70, 9)),
      Seq(event("a", -69, 1), event("a", -68, 1), event("a", -68, 3)),
      Seq(event("a", -10, 10)),
      Seq(event("a", -2, 3), event("a", -1, 3)),
      Seq(event("a", 2, 3), event("a", 30, 4)),
      Seq(event("a", 60, 11)),
      Seq(event("a", 61, 3))
    )
    val run = checkKilled(keyed(feedOf(folder).toDF()).dropDuplicatesWithinWatermark("n"))
    val passed = Seq("-95|1", "-94|2", "-80|3", "-70|9", "-69|1", "-10|10", "-2|3", "30|4", "60|11")
    assert(run.answer === (passed :+ "61|3").map("a|" + _).sorted)
    assert(run.lateRows === Map.empty)
    assert(run.batchCount <= 21)
  }

  onRocksDb("a row before 1970 is late by the watermark, as any other") {
    val folder = files(
      Seq(event("a", -50, 1)),
      Seq(event("a", -40, 2), event("a", -54, 3)),
      Seq(event("a", -39, 7)),
      Seq(event("a", -46, 4), event("a", -44, 5)),
      Seq(event("a", 100, 6))
    )
    val run = checkKilled(keyed(feedOf(folder).toDF()).dropDuplicates("time"))
    assert(run.answer === Seq("a|-39|7", "a|-40|2", "a|-44|5", "a|-50|1", "a|-54|3", "a|100|6"))
    assert(run.lateRows === Map("deduplicate" -> 1L))
  }

  onBothStores("the state lets rows before 1970 go") {
    def after(query: DataFrame => DataFrame): Long = {
      val in = feed()
      val run = harness(query(in.toDF())).start()
      (-9000 to -1000 by 2000).foreach { second =>
        in.addData(event("a", second, second), event("a", second, second), event("b", second, 1))
        run.settle()
      }
      assert(run.batchCount <= 11)
      val rows = run.stateRows
      run.stop()
      rows
    }
    assert(after(keyed(_).groupBy(window(col("time"), "10 seconds")).count()) === 1L)
    assert(after(byFrames) === 2L)
    assert(
      after(keyed(_).groupBy(session_window(col("time"), "4 seconds"), col("n")).count()) === 2L
    )
    assert(after(keyed(_).dropDuplicates("time", "n")) === 2L)
    assert(after(keyed(_).dropDuplicatesWithinWatermark("time", "n")) === 2L)
    assert(after(joined("inner")) <= 6L)
  }

  test("in update mode") {
    val in = events()
    val run = new Run(
      keyed(in.toDF()).groupBy(window(col("time"), "10 seconds")).count(),
      mode = OutputMode.Update()
    ).start()
    in.addData(event("a", -25), event("a", -24))
    assert(run.settle().take() === Seq("[-30,-20)|2"))
    in.addData(event("a", -23), event("a", -3))
    assert(run.settle().take() === Seq("[-10,0)|1", "[-30,-20)|3"))
    in.addData(event("a", -22), event("a", -2))
    assert(run.settle().take() === Seq("[-10,0)|2"))
    assert(run.lateRows === Map("aggregate" -> 1L))
  }

  test("is_late says what the operator does") {
    val in = events()
    keyed(in.toDF()).createOrReplaceTempView("before_the_epoch")
    val run = new Run(spark.sql("SELECT n, is_late(time) AS late FROM before_the_epoch")).start()
    in.addData(event("a", -50, 1))
    run.settle()
    in.addData(event("a", -56, 2), event("a", -55, 3), event("a", -54, 4))
    run.settle()
    assert(run.answer === Seq("1|false", "2|true", "3|false", "4|false"))
  }

  private val sentence =
    "Rows before 1970 are late for the operator `%s`, and dropped: Spark gives its " +
      "functions no watermark below 1970-01-01T00:00:00Z. Use later times, or an operator without " +
      "functions of your own."

  private def noted(name: String)(query: DataFrame => DataFrame): Unit =
    test(s"$name: rows before 1970 are late, and the log says so once") {
      on("RocksDB") {
        val in = events()
        val run = new Run(query(keyed(in.toDF()))).start()
        val lines = LogLines.during(classOf[EventTimeClock].getName) {
          Seq(-50, -20, -5).foreach { second =>
            in.addData(event("a", second))
            run.settle()
          }
        }
        assert(lines.filterNot(_.startsWith("Event dropped")) === Seq(sentence.format(name)))
        assert(run.lateRows === Map(name -> 3L))
        val later = LogLines.during(classOf[EventTimeClock].getName) {
          in.addData(event("a", 0), event("a", 30), event("a", 60))
          run.settle()
          in.addData(event("a", 1), event("a", 600))
          run.settle()
        }
        assert(later.filterNot(_.startsWith("Event dropped")) === Nil)
        assert(run.lateRows === Map(name -> 4L))
        assert(run.batchCount <= 12)
      }
    }

  noted("flatMapGroupsWithState")(SilenceByState(_))

  noted("transformWithState")(BufferByTimer(_))

  test("late rows after 1970 are no reason for that note") {
    val in = events()
    val run = new Run(SilenceByState(keyed(in.toDF()))).start()
    in.addData(event("a", 100))
    run.settle()
    val lines = LogLines.during(classOf[EventTimeClock].getName) {
      in.addData(event("a", -5), event("a", 5))
      run.settle()
    }
    assert(lines.size === 2)
    assert(lines.forall(_.startsWith("Event dropped")))
  }
}
