package tidegate
package preparation

import org.apache.spark.sql.{AnalysisException, DataFrame}

/**
 * Windows that copy their rows have a limit; windows that are put together from frames have none.
 */
class WindowCopiesSuite extends KeyedStreamTest {

  private def refused(sentence: String)(body: => Any): Unit = {
    val error = intercept[AnalysisException](body)
    assert(
      error.getMessage.linesIterator.next().split("; line").head ===
        s"[TIDEGATE_WINDOWS_PER_ROW] $sentence SQLSTATE: 54000"
    )
    ()
  }

  private def sentence(
      function: String,
      found: Long,
      reason: String,
      by: String,
      max: Int = 10000
  ) =
    s"$function copies each row into $found windows, because $reason, but a row may be copied " +
      s"into $max at most. Use a longer $by or shorter windows, or raise " +
      "spark.tidegate.windows.maxPerRow."

  private def counts(call: String): DataFrame = spark.sql(
    s"SELECT window_start, window_end, count(*) FROM $call GROUP BY window_start, window_end"
  )

  private val hop = "HOP(TABLE(o), DESCRIPTOR(time), 1 day, 1 millisecond)"
  private val cumulate = "CUMULATE(TABLE(o), DESCRIPTOR(time), 1 millisecond, 1 day)"

  private def table(): Unit =
    spark.sql("SELECT timestamp_seconds(100) AS time").createOrReplaceTempView("o")

  private def stream() = {
    val in = events()
    in.toDF().withKeyedWatermark("time", "1 second").createOrReplaceTempView("o")
    in
  }

  test("a table whose rows would be copied 86 million times") {
    table()
    refused(sentence("HOP", 86400000, "a table has no frames", "slide"))(counts(hop))
    refused(sentence("CUMULATE", 86400000, "a table has no frames", "step"))(counts(cumulate))
  }

  test("the limit is a setting, and as many windows as it says are allowed") {
    table()
    def windows(size: Int) = counts(s"HOP(TABLE(o), DESCRIPTOR(time), $size seconds, 1 second)")
    withConf("spark.tidegate.windows.maxPerRow" -> "7") {
      assert(windows(7).count() === 7)
      refused(sentence("HOP", 8, "a table has no frames", "slide", max = 7))(windows(8))
      assert(counts("TUMBLE(TABLE(o), DESCRIPTOR(time), 1 day)").count() === 1)
    }
  }

  test("a second aggregation over windows from frames does not get the copies of the rows") {
    val in = stream()
    val counted = "SELECT n, window_start, window_end, count(*) AS c FROM " +
      "HOP(TABLE(o), DESCRIPTOR(time), 1 day, 1 second) GROUP BY n, window_start, window_end"
    val run = new Run(
      spark.sql(s"SELECT max(c), window_end FROM ($counted) GROUP BY window_end")
    ).start()
    in.addData(event("a", 10, 1), event("a", 11, 1), event("b", 11, 2))
    in.addData(event("a", 14, 1))
    run.settle()
    assert(run.take() === Seq("1|11", "2|12", "2|13"))
    run.stop()
  }

  test("a stream that cannot use frames, with the reason") {
    stream()
    withConf("spark.tidegate.windows.enabled" -> "false") {
      refused(sentence("HOP", 86400000, "spark.tidegate.windows.enabled is false", "slide"))(
        new Run(counts(hop)).start()
      )
    }
    refused(
      sentence(
        "HOP",
        86400000,
        "the output mode is update, and only append waits for windows",
        "slide"
      )
    )(
      new Run(counts(hop), mode = org.apache.spark.sql.streaming.OutputMode.Update()).start()
    )
    refused(sentence("HOP", 86400000, "no aggregation runs on its windows", "slide"))(
      new Run(spark.sql(s"SELECT window_start FROM $hop")).start()
    )
    withConf("spark.tidegate.windows.enabled" -> "false") {
      refused(
        sentence("CUMULATE", 86400000, "spark.tidegate.windows.enabled is false", "step")
      )(new Run(counts(cumulate)).start())
    }
    refused(sentence("CUMULATE", 86400000, "no aggregation runs on its windows", "step"))(
      new Run(spark.sql(s"SELECT window_start FROM $cumulate")).start()
    )
  }

  test("a stream with Spark's own watermark") {
    events().toDF().withWatermark("time", "1 second").createOrReplaceTempView("o")
    refused(
      sentence("HOP", 86400000, "only a keyed watermark makes windows from frames", "slide")
    )(new Run(counts(hop)).start())
  }

  test("windows from frames have no limit") {
    val in = stream()
    val run = new Run(
      counts("HOP(TABLE(o), DESCRIPTOR(time), 20 seconds, 1 millisecond)")
        .where("unix_millis(window_start) % 5000 = 0")
    ).start()
    in.addData(event("a", 100.001))
    in.addData(event("a", 200))
    run.settle()
    assert(run.answer === Seq("100|120|1", "85|105|1", "90|110|1", "95|115|1"))
  }

  test("windows from frames that grow have no limit") {
    val in = stream()
    val run = new Run(
      counts("CUMULATE(TABLE(o), DESCRIPTOR(time), 1 millisecond, 20 seconds)")
        .where("unix_millis(window_end) % 5000 = 0")
    ).start()
    in.addData(event("a", 107.001))
    in.addData(event("a", 200))
    run.settle()
    assert(run.answer === Seq("100|110|1", "100|115|1", "100|120|1"))
  }
}
