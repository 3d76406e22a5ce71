package tidegate
package sql

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Windows of processing time. A window begins when the manual clock begins. */
class ProctimeSuite extends RestartTest {
  private val Start = 1000000

  private val ten = "INTERVAL '10' SECOND"
  private val withTime = "SELECT *, PROCTIME() AS p_time FROM bid"

  private def start(frame: DataFrame => DataFrame): (Run, (String, Int) => Unit) = {
    val in = events()
    val run = new Run(frame(in.toDF())).start().settle()
    (run, (sub, n) => in.addData(event(sub, 5, n)))
  }

  private def ofText(text: String)(bid: DataFrame): DataFrame = {
    bid.createOrReplaceTempView("bid")
    spark.sql(text)
  }

  private val forms: Seq[(String, DataFrame => DataFrame)] = Seq(
    "a table function over a common table expression" -> ofText(
      s"WITH B AS ($withTime) SELECT sub, window_start, window_end, count(*) FROM " +
        s"TABLE(TUMBLE(TABLE B, DESCRIPTOR(p_time), $ten)) GROUP BY sub, window_start, window_end"
    ) _,
    "a table function over a view" -> { (bid: DataFrame) =>
      bid.createOrReplaceTempView("bid")
      spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW b AS $withTime")
      spark.sql(
        "SELECT sub, window_start, window_end, count(*) FROM " +
          s"TUMBLE(b, DESCRIPTOR(p_time), $ten) GROUP BY sub, window_start, window_end"
      )
    },
    "a call among the keys" -> ofText(
      s"SELECT sub, TUMBLE_START(PROCTIME(), $ten), TUMBLE_END(PROCTIME(), $ten), count(*) " +
        s"FROM bid GROUP BY sub, TUMBLE(PROCTIME(), $ten)"
    ) _,
    "a column among the keys" -> ofText(
      s"SELECT B.sub, TUMBLE_START(B.p_time, $ten), TUMBLE_END(B.p_time, $ten), count(*) " +
        s"FROM ($withTime) B GROUP BY B.sub, TUMBLE(B.p_time, $ten)"
    ) _,
    "a DataFrame" -> { (bid: DataFrame) =>
      bid
        .withColumn("p_time", expr("PROCTIME()"))
        .groupBy(col("sub"), window(col("p_time"), "10 seconds"))
        .count()
        .select("sub", "window.start", "window.end", "count")
    }
  )

  for ((title, frame) <- forms)
    test(s"a window closes when the wall clock passes its end, without a row: $title") {
      val (run, send) = start(frame)
      send("a", 1)
      send("a", 2)
      run.settle()
      run.clock.advance(9000)
      send("a", 3)
      send("b", 4)
      run.settle()
      assert(run.answer === Nil)
      run.clock.advance(1000)
      run.settle()
      val first = Seq(s"a|$Start|${Start + 10}|3", s"b|$Start|${Start + 10}|1")
      assert(run.take() === first)
      send("b", 5)
      run.settle()
      run.restart().settle()
      run.clock.advance(30000)
      send("b", 6)
      run.settle()
      run.clock.advance(10000)
      run.settle()
      assert(
        run.take() === Seq(s"b|${Start + 10}|${Start + 20}|1", s"b|${Start + 40}|${Start + 50}|1")
      )
      assert(run.lateRows === Map.empty)
      assert(run.stateRows === 0)
    }

  test("a batch that runs again after a kill has the time that it had") {
    val in = events()
    val run = new Run(forms.head._2(in.toDF())).start().settle()
    run.failIn = _ => true
    in.addData(event("a", 5))
    run.awaitEnd()
    run.failIn = _ => false
    run.clock.advance(25000)
    run.start().settle()
    in.addData(event("a", 5))
    run.settle()
    run.clock.advance(10000)
    run.settle()
    assert(
      run.take() === Seq(s"a|$Start|${Start + 10}|1", s"a|${Start + 20}|${Start + 30}|1")
    )
    assert(run.lateRows === Map.empty)
  }

  test("sessions, and windows that slide or grow") {
    val texts = Seq(
      s"SESSION(TABLE(b) PARTITION BY sub, DESCRIPTOR(p_time), $ten)" -> Seq(
        s"a|$Start|${Start + 10}|1"
      ),
      s"HOP(b, DESCRIPTOR(p_time), $ten, INTERVAL '5' SECOND)" -> Seq(
        s"a|$Start|${Start + 10}|1",
        s"a|${Start - 5}|${Start + 5}|1"
      ),
      s"CUMULATE(b, DESCRIPTOR(p_time), INTERVAL '5' SECOND, $ten)" -> Seq(
        s"a|$Start|${Start + 5}|1",
        s"a|$Start|${Start + 10}|1"
      )
    )
    for ((call, expected) <- texts) withClue(call) {
      val (run, send) = start { bid =>
        bid.createOrReplaceTempView("bid")
        spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW b AS $withTime")
        spark.sql(
          s"SELECT sub, window_start, window_end, count(*) FROM $call " +
            "GROUP BY sub, window_start, window_end"
        )
      }
      send("a", 1)
      run.settle()
      run.clock.advance(20000)
      run.settle()
      assert(run.take() === expected)
      run.stop()
    }
  }

  test("beside an event time, rows that an operator has held back have the time of their batch") {
    val in = events()
    in.toDF().withKeyedWatermark("time", "0 seconds").createOrReplaceTempView("bid")
    val run = new Run(
      spark.sql(
        s"""WITH B AS (SELECT sub, p_time FROM ORDER_BY_TIME(TABLE($withTime), DESCRIPTOR(time)))
          SELECT sub, window_start, count(*) FROM TUMBLE(TABLE B, DESCRIPTOR(p_time), $ten)
          GROUP BY sub, window_start, window_end"""
      )
    ).start()
    in.addData(event("a", 5))
    run.settle()
    run.clock.advance(20000)
    in.addData(event("b", 15))
    run.settle()
    run.clock.advance(10000)
    run.settle()
    assert(run.answer === Seq(s"a|${Start + 20}|1"))
    assert(run.lateRows === Map.empty)
  }

  test("an order that is imposed on the column comes first") {
    val in = events()
    in.toDF().createOrReplaceTempView("bid")
    val run = new Run(
      spark.sql(
        s"""WITH B AS (SELECT * FROM IMPOSE_ORDER(TABLE($withTime), DESCRIPTOR(p_time), policy =>
            limiting_timestamp_and_wall_clock_lag(5 seconds, 5 seconds)))
          SELECT sub, window_start, count(*) FROM TUMBLE(TABLE B, DESCRIPTOR(p_time), $ten)
          GROUP BY sub, window_start, window_end"""
      )
    ).start()
    in.addData(event("a", 5))
    run.settle()
    run.clock.advance(14000)
    run.settle()
    assert(run.answer === Nil)
    run.clock.advance(1000)
    run.settle()
    assert(run.answer === Seq(s"a|$Start|1"))
    assert(run.running.figures.watermarks.keySet === Set("p_time"))
  }

  test("windows of two streams are joined") {
    val (in, other) = (events(), events())
    in.toDF().createOrReplaceTempView("bid")
    other.toDF().createOrReplaceTempView("ask")
    def counted(of: String) =
      s"""(SELECT sub, window_start, window_end, count(*) AS n FROM
        TUMBLE(TABLE(SELECT *, PROCTIME() AS p_time FROM $of), DESCRIPTOR(p_time), $ten)
        GROUP BY sub, window_start, window_end)"""
    val run = new Run(
      spark.sql(
        s"""SELECT b.sub, b.window_start, b.n, a.n FROM ${counted("bid")} b JOIN ${counted("ask")} a
          ON b.sub = a.sub AND b.window_start = a.window_start AND b.window_end = a.window_end"""
      )
    ).start()
    in.addData(event("a", 5), event("a", 5), event("b", 5))
    other.addData(event("a", 5))
    run.settle()
    run.clock.advance(20000)
    run.settle()
    assert(run.answer === Seq(s"a|$Start|2|1"))
    assert(run.stateRows === 0)
  }

  test("a column of processing time without a window has no watermark") {
    val in = events()
    in.toDF().withKeyedWatermark("time", "0 seconds").createOrReplaceTempView("bid")
    val run = new Run(spark.sql(s"SELECT sub, p_time FROM ($withTime)")).start()
    in.addData(event("a", 5))
    run.settle()
    assert(run.answer === Seq(s"a|$Start"))
    assert(run.running.figures.watermarks.keySet === Set("time"))
  }

  test("a table has one time of processing, and a column of it can be read") {
    import session.implicits._
    Seq("a", "b").toDF("sub").createOrReplaceTempView("bid")
    val counts = spark.sql(s"$withTime").groupBy("p_time").count()
    assert(counts.select("count").collect().map(_.getLong(0)).toSeq === Seq(2L))
    val windows = spark.sql(
      "SELECT count(*), sum(int(window_start <= p_time AND p_time < window_end)) FROM " +
        s"TUMBLE(TABLE($withTime), DESCRIPTOR(p_time), INTERVAL '1' DAY)"
    )
    assert(windows.head().toSeq === Seq(2L, 2L))
    assert(spark.sql("SELECT proctime()").columns.toSeq === Seq("proctime()"))
  }

  test("a union of event times with times of processing is not one of processing") {
    val (in, other) = (events(), events())
    other.toDF().createOrReplaceTempView("bid")
    val both = in.toDF().select("sub", "time").union(spark.sql(withTime).select("sub", "p_time"))
    val error = intercept[AnalysisException] {
      new Run(both.groupBy(window(col("time"), "10 seconds")).count()).start()
    }
    assert(error.getMessage.contains("without watermark"))
  }

  test("an argument is refused") {
    val error = intercept[AnalysisException](spark.sql("SELECT PROCTIME(3)"))
    assert(
      error.getMessage.takeWhile(_ != ';').replaceFirst(" SQLSTATE.*", "") ===
        "[TIDEGATE_NO_ARGUMENTS] The function proctime has 1 arguments, but takes none: " +
        "proctime(). For a watermark with a lag of its own, name the column and use IMPOSE_ORDER " +
        "or withKeyedWatermark over it."
    )
  }

  test("in output mode update, windows leave the state when the wall clock passes their end") {
    val in = events()
    val run = new Run(forms.last._2(in.toDF()), mode = OutputMode.Update()).start()
    in.addData(event("a", 5))
    run.settle()
    assert(run.take() === Seq(s"a|$Start|${Start + 10}|1"))
    run.clock.advance(10000)
    run.settle()
    assert(run.stateRows === 0)
  }
}
