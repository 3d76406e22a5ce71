package tidegate
package execution

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Literal, RaiseError}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.tidegate.TestQueries
import tidegate.clock.EventTimeClock
import tidegate.settings.Settings
import tidegate.statistics.LateRows

/** What the log says of a late row, and what it does not say. */
class LateLogSuite extends KeyedStreamTest {

  private def keyed(rows: DataFrame): DataFrame =
    rows.withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), name = "orders")

  private def counts(rows: DataFrame): DataFrame =
    rows.groupBy(window(col("time"), "10 seconds")).count()

  /** The lines after rows of the substreams `a` and `b` at 30 seconds, and then these. */
  private def lines(query: DataFrame => DataFrame)(late: Event*): Seq[String] = {
    val in = events()
    val run = new Run(query(in.toDF())).start()
    in.addData(event("a", 30, 0), event("b", 30, 0))
    run.settle()
    val found = LogLines.during(classOf[EventTimeClock].getName) {
      in.addData(late: _*)
      run.settle().stop()
    }
    found.map(_.replace(run.query.id.toString, "ID"))
  }

  private def line(event: String, rest: String, time: String = "1970-01-01T00:00:09.877Z") =
    "Event dropped, late by 20123ms. currentWatermark=1970-01-01T00:00:30.000Z, " +
      s"eventTime=$time, ${event}operator=$rest"

  test("query, watermark, operator and substream") {
    assert(
      lines(rows => counts(keyed(rows)))(event("b", 9.877, 4)) === Seq(
        line(
          "event=[sub=b, time=1970-01-01 00:00:09.877], ",
          "aggregate, watermark=orders, query=ID, substream=b"
        )
      )
    )
  }

  test("in Spark's structured log the same as fields, with the lateness in ms") {
    val in = events()
    val run = new Run(counts(keyed(in.toDF()))).start()
    in.addData(event("a", 30, 0), event("b", 30, 0))
    run.settle()
    val found = LogLines.structured("tidegate.clock") {
      in.addData(event("b", 9.877, 4), event("c", 40, 5))
      run.settle().stop()
    }
    val id = run.query.id.toString
    val ofWatermark = Map("query" -> id, "watermark" -> "orders")
    val isNew = ofWatermark + ("substream" -> "c")
    val late = ofWatermark ++
      Map("operator" -> "aggregate", "substream" -> "b", "lateBy" -> "20123")
    assert(found.collect {
      case (text, fields) if text.startsWith("Event dropped") => fields
    } === Seq(late))
    assert(found.collect {
      case (text, fields) if text.contains(": new substreams: ") => fields
    } === Seq(isNew))
  }

  test("a row that cannot be shown is counted") {
    val fails = new RaiseError(Literal("the row fails"))
    val origin = LateOrigin("aggregate", Seq("orders"), Some("hourly"))
    val text = LateText(0, fails, Nil, origin, None, "UTC", 100)
    def metric = new SQLMetric("sum", 0)
    val late = new LateRows
    val log = LateLog(text, late, metric, metric, LateWindows(fails, Nil, 0, None, 0), None)
    log.note(InternalRow.empty, log.begin(0), isPartly = false)
    assert(late.value === 1)
    assert(
      late.samples.map(_.text) ===
        Seq("A late row cannot be shown. operator=aggregate, watermark=orders, query=hourly")
    )
  }

  test("in windows from frames too") {
    assert(
      lines(rows => keyed(rows).groupBy(window(col("time"), "20 seconds", "10 seconds")).count())(
        event("b", 9.877, 4)
      ) === Seq(
        line(
          "event=[sub=b, time=1970-01-01 00:00:09.877], ",
          "aggregate, watermark=orders, query=ID, substream=b"
        )
      )
    )
  }

  test("a query's own name") {
    val in = events()
    val clock = new Run(in.toDF()).clock
    val query = TestQueries.start(
      keyed(in.toDF()).dropDuplicates("n", "time"),
      newCheckpoint().toString,
      OutputMode.Append(),
      Trigger.ProcessingTime(0),
      clock,
      Some("by the hour")
    )((rows, _) => rows.collect())
    in.addData(event("a", 30))
    query.processAllAvailable()
    val found = LogLines.during(classOf[EventTimeClock].getName) {
      in.addData(event("a", 9.877, 4))
      query.processAllAvailable()
      query.stop()
    }
    assert(
      found === Seq(
        line(
          "event=[sub=a, time=1970-01-01 00:00:09.877, n=4], ",
          "deduplicate, watermark=orders, query=by the hour, substream=a"
        )
      )
    )
  }

  test("a substream of several columns, one of them without a value") {
    val found = lines { rows =>
      rows
        .withColumn("part", when(col("n") === 4, lit(null)).otherwise(col("n")))
        .withKeyedWatermark("time", "0 seconds", substream = Seq("sub", "part"), name = "orders")
        .dropDuplicates("n", "time")
    }(event("x/y", 9.877, 4))
    assert(
      found === Seq(
        line(
          "event=[sub=x/y, time=1970-01-01 00:00:09.877, n=4, part=null], ",
          "deduplicate, watermark=orders, query=ID, substream=x\\/y/\\N"
        )
      )
    )
  }

  test("after a union the watermarks of all inputs, and the substream of the row") {
    val found = lines { rows =>
      val other = rows.select(col("time"), col("sub").as("device"), col("n"))
      rows
        .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), name = "left")
        .union(
          other
            .withKeyedWatermark("time", "0 seconds", substream = Seq("device"), name = "right")
            .select("device", "time", "n")
        )
        .groupBy(window(col("time"), "10 seconds"))
        .count()
    }(event("b", 9.877, 4))
    assert(found.distinct.size === 1)
    assert(
      found.head === line(
        "event=[sub=b, time=1970-01-01 00:00:09.877], ",
        "aggregate, watermark=[left, right], query=ID, substream=b"
      )
    )
  }

  test("no substream if its column is gone") {
    assert(
      lines(rows => counts(keyed(rows).select("time")))(event("b", 9.877, 4)) === Seq(
        line(
          "event=[time=1970-01-01 00:00:09.877], ",
          "aggregate, watermark=orders, query=ID"
        )
      )
    )
  }

  test("a stateful operator further up names its watermark") {
    val found = lines { rows =>
      counts(keyed(rows).dropDuplicatesWithinWatermark("n"))
    }(event("b", 9.877, 4))
    assert(
      found === Seq(
        line(
          "event=[sub=b, time=1970-01-01 00:00:09.877, n=4], ",
          "deduplicateWithinWatermark, watermark=orders, query=ID, substream=b"
        )
      )
    )
  }

  test("times have the zone of the session") {
    Seq("America/Los_Angeles", "PST").foreach { zone =>
      withConf("spark.sql.session.timeZone" -> zone) {
        val found = lines(rows => keyed(rows).dropDuplicates("n", "time"))(event("b", 9.877, 4))
        assert(
          found === Seq(
            "Event dropped, late by 20123ms. currentWatermark=1969-12-31T16:00:30.000-08:00, " +
              "eventTime=1969-12-31T16:00:09.877-08:00, event=[sub=b, " +
              "time=1969-12-31 16:00:09.877, n=4], operator=deduplicate, watermark=orders, " +
              "query=ID, substream=b"
          ),
          zone
        )
      }
    }
  }

  test("times without a zone count as UTC") {
    withConf("spark.sql.session.timeZone" -> "America/Los_Angeles") {
      val found = lines { rows =>
        keyed(rows.withColumn("time", to_utc(col("time")))).orderByEventTime()
      }(event("b", 9.877, 4))
      assert(
        found === Seq(
          line(
            "event=[sub=b, time=1970-01-01 00:00:09.877, n=4], ",
            "orderByEventTime, watermark=orders, query=ID, substream=b"
          )
        )
      )
    }
  }

  private def to_utc(time: org.apache.spark.sql.Column) =
    convert_timezone(lit("America/Los_Angeles"), lit("UTC"), time.cast("timestamp_ntz"))

  private def payloads(chars: Int, sub: String): Seq[String] =
    withConf(Settings.LateLogPayloadChars.key -> chars.toString) {
      lines { rows =>
        rows
          .withKeyedWatermark("time", "0 seconds", name = "orders")
          .select("sub", "time", "n")
          .dropDuplicates("n", "time")
      }(event(sub, 9.877, 4))
    }

  private val rest = "deduplicate, watermark=orders, query=ID, substream=*"

  test("the columns of a row are cut") {
    assert(payloads(7, "abcdef") === Seq(line("event=[sub=abc...], ", rest)))
    assert(payloads(10, "abcdef") === Seq(line("event=[sub=abcdef...], ", rest)))
    val all = "sub=abcdef, time=1970-01-01 00:00:09.877, n=4"
    assert(payloads(all.length, "abcdef") === Seq(line(s"event=[$all], ", rest)))
    val smile = "\uD83D\uDE00"
    assert(payloads(7, smile * 3) === Seq(line(s"event=[sub=$smile...], ", rest)))
    assert(payloads(8, smile * 3) === Seq(line(s"event=[sub=$smile$smile...], ", rest)))
  }

  test("by default 200 characters are shown") {
    val sub = "x" * 100000
    val found = lines(rows => keyed(rows).dropDuplicates("n", "time"))(
      event(sub, 40, 1),
      event("a", 9.877, 4)
    )
    assert(found.size === 1)
    val long = payloads(200, sub)
    assert(long === Seq(line(s"event=[sub=${"x" * 196}...], ", rest)))
  }

  test("no columns of a row") {
    assert(payloads(0, "secret") === Seq(line("", rest)))
  }

  test("a long name of a substream is cut") {
    val found = lines { rows =>
      rows
        .withColumn("sub", lit("y" * 5000))
        .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), name = "orders")
        .select("time")
        .dropDuplicates("time")
    }(event("b", 9.877, 4))
    assert(found.map(_.takeRight(115)) === Seq(s", substream=${"y" * 100}..."))
  }

  test("a row cannot look like a line of the log") {
    val sub = "a\nEvent dropped\u2028\u001b[2K"
    assert(
      payloads(200, sub) === Seq(
        line(
          "event=[sub=a\\nEvent dropped\\u2028\\u001b[2K, time=1970-01-01 00:00:09.877, n=4], ",
          rest
        )
      )
    )
  }

  test("so many lines in a minute, and the number of the others") {
    withConf(Settings.LateLogLinesPerMinute.key -> "2") {
      val in = events()
      val run = new Run(counts(keyed(in.toDF()))).start()
      in.addData(event("a", 30))
      run.settle()
      def said(late: Int): Seq[String] = LogLines.during(classOf[EventTimeClock].getName) {
        in.addData((1 to late).map(event("a", 5, _)): _*)
        run.settle()
      }
      def others(n: Int) = "Events dropped as late without a line of their own: " +
        s"aggregate=$n, query=${run.query.id}"
      assert(said(1).size === 1)
      assert(said(5).size === 1)
      assert(said(3) === Nil)
      run.clock.advance(60000)
      assert(LogLines.during(classOf[EventTimeClock].getName)(run.settle()) === Seq(others(7)))
      assert(said(2).size === 2)
      assert(said(4) === Nil)
      assert(
        LogLines.during(classOf[EventTimeClock].getName)(run.stop()) === Seq(others(4)),
        "at the end of the query"
      )
      assert(run.lateRows === Map("aggregate" -> 15L))
    }
  }
}
