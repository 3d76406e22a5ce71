package tidegate
package own.windows

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Sliding windows over the first and the last times of TIMESTAMP, which some producers send. */
class EndOfTimeSuite extends FrameScenarioTest {

  /**
   * `n` is 99 for the last µs of all, 98 for one that is a minute before, -99 for the first, -98
   * for one in the year -197670.
   */
  private def withSentinels(rows: DataFrame): DataFrame = rows.withColumn(
    "time",
    expr("""CASE n
      WHEN 99 THEN timestamp_micros(9223372036854775807)
      WHEN 98 THEN timestamp_micros(9223372036854775807 - 60000000)
      WHEN -98 THEN timestamp_micros(-6300000000000000000)
      WHEN -99 THEN timestamp_micros(-9223372036854775808)
      ELSE time END""")
  )

  private val steps = Seq(
    send(event("a", 100), event("b", 100), event("a", 0, 99), event("a", 0, 98)).givesNothing,
    send(event("b", 200)).gives("95|105|2", "100|110|2"),
    send(event("b", 300)).gives("195|205|1", "200|210|1"),
    // The last sentinel of the other substream too: all that is a lag before it is closed.
    send(event("b", 0, 98)).gives("295|305|1", "300|310|1")
  )

  scenario("HOP over the last microsecond")(rows => {
    orderedBySub(withSentinels(rows)).createOrReplaceTempView("o")
    spark.sql(s"""SELECT window_start, window_end, count(*) FROM $hop
      GROUP BY window_start, window_end""")
  })(steps)

  test("window over the last microsecond") {
    val in = events()
    val run = new Run(
      orderedBySub(withSentinels(in.toDF()))
        .groupBy(tens)
        .agg(count("*"))
        .select("window.start", "window.end", "count(1)")
    ).start()
    steps.foreach { step =>
      in.addData(step.rows)
      run.settle()
      assert(run.take() === step.answer)
    }
    assertFrames(run.query)
    run.restart()
    in.addData(event("b", 0, 99))
    run.settle()
    // Without a lag, the last microsecond ends time.
    assert(
      run.take() === Seq(
        "9223372036785|9223372036795|2",
        "9223372036790|9223372036800|2",
        "9223372036845|9223372036854.775|2",
        "9223372036850|9223372036854.775|2"
      )
    )
  }

  test("frames are closed at the end of time, and those that would end beyond it end with it") {
    val folder = files(
      Seq(event("a", 100), event("b", 100)),
      Seq(event("a", 0, 99), event("b", 101)),
      Seq(event("b", 0, 99))
    )
    val run = new Run({
      withSentinels(stream(folder))
        .withKeyedWatermark("time", "1 second", substream = Seq("sub"), flush = true)
        .createOrReplaceTempView("o")
      spark.sql(s"""SELECT window_start, window_end, count(*) FROM $hop
        GROUP BY window_start, window_end""")
    }).runOnce(org.apache.spark.sql.streaming.Trigger.AvailableNow())
    assert(
      run.answer === Seq(
        "100|110|3",
        "9223372036845|9223372036854.775|2",
        "9223372036850|9223372036854.775|2",
        "95|105|3"
      )
    )
    assert(run.stateRows === 0)
  }

  Seq(
    "HOP" -> "10 seconds, 5 seconds",
    "TUMBLE" -> "10 seconds",
    "CUMULATE" -> "5 seconds, 10 seconds"
  ).foreach { case (function, lengths) =>
    test(s"$function: rows of the first times are late, also before there is a watermark") {
      val in = events()
      val run = new Run({
        orderedBySub(withSentinels(in.toDF())).createOrReplaceTempView("o")
        spark.sql(s"""SELECT window_start, window_end, count(*)
          FROM $function(TABLE(o), DESCRIPTOR(time), $lengths) GROUP BY window_start, window_end""")
      }).start()
      in.addData(event("a", 0, -99), event("a", 0, -98))
      run.settle()
      assertFrames(run.query)
      assert(run.lateRows.values.sum === 2)
      in.addData(event("a", 100), event("b", 100), event("a", 0, -99))
      run.settle()
      in.addData(event("a", 200), event("b", 200), event("b", 0, -99))
      run.settle()
      assert(run.lateRows.values.sum === 4)
      assert(run.answer.contains("100|110|2"))
      run.stop()
    }
  }

  test("a table gives what a stream gives, at both ends of time") {
    withSentinels(table(files(Seq(event("a", 0, 99), event("a", 0, -99), event("a", 7)))))
      .createOrReplaceTempView("o")
    def windows(call: String) = spark
      .sql(s"SELECT n, unix_micros(window_start), unix_micros(window_end) FROM $call")
      .collect()
      .toSeq
      .map(KeyedStreamTest.text)
      .sorted
    assert(
      windows(hop) === Seq(
        "-99|-9223372036854775808|-9223372036844775808",
        "1|0|10000000",
        "1|5000000|15000000",
        "99|9223372036845000000|9223372036854775000",
        "99|9223372036850000000|9223372036854775000"
      )
    )
    assert(
      windows("TUMBLE(TABLE(o), DESCRIPTOR(time), 10 seconds)") === Seq(
        "-99|-9223372036854775808|-9223372036844775808",
        "1|0|10000000",
        "99|9223372036850000000|9223372036854775000"
      )
    )
    assert(
      windows("CUMULATE(TABLE(o), DESCRIPTOR(time), 5 seconds, 10 seconds) WHERE n > 0") === Seq(
        "1|0|10000000",
        "99|9223372036850000000|9223372036854775000"
      )
    )
  }
}
