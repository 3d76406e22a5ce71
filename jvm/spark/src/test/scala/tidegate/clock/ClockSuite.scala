package tidegate
package clock

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.clock.KnownQueries

/** Time itself: idleness, backlog, lulls, the future guard, what a user sees of it. */
class ClockSuite extends RestartTest {

  /** Substreams by `sub`, without a lag, idle after five seconds. */
  private def idleAfterFive(df: DataFrame): DataFrame =
    df.withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), idleTimeout = "5 seconds")

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  /** With and without a stop in the middle of a scenario. */
  private def twice(title: String)(body: (Run => Unit) => Unit): Unit = {
    test(title)(body(_ => ()))
    test(s"$title, with a restart") {
      body { run =>
        run.restart().settle()
        ()
      }
    }
  }

  test("a silent substream is left out after its timeout, and does not go back when it returns") {
    val in = events()
    val run = new Run(
      counts(
        in.toDF()
          .transform(idleAfterFive)
      )
    )
    run.start()
    in.addData(event("a", 30), event("b", 3))
    run.settle()
    assert(run.watermark("time") === Some(3000L))
    run.clock.advance(4999)
    run.settle()
    assert(run.take() === Nil)
    run.clock.advance(1)
    run.settle()
    in.addData(event("a", 31))
    run.settle()
    assert(run.watermark("time") === Some(30000L))
    assert(run.take() === Seq("[0,10)|1"))
    in.addData(event("b", 12))
    run.settle()
    assert(run.watermark("time") === Some(30000L))
    assert(run.lateRows === Map("aggregate" -> 1L))
    val node = watermarks(run.query).watermarks("time")
    assert(node.substreams.map { case (name, s) =>
      name -> s.idle
    } === Map("a" -> false, "b" -> false))
  }

  twice("all substreams idle: time stands until data comes, and then goes on") { middle =>
    val folder = files(Seq(event("a", 30), event("b", 3)))
    val run = new Run(counts(stream(folder).transform(idleAfterFive))).start().settle()
    run.clock.advance(5000)
    run.settle()
    middle(run)
    run.clock.advance(3600000)
    run.settle()
    assert(run.watermark("time") === Some(30000L))
    addFile(folder, 1, Seq(event("a", 41), event("b", 52)))
    run.settle()
    assert(run.watermark("time") === Some(41000L))
    assert(run.lateRows === Map.empty)
    assert(!watermarks(run.query).watermarks("time").idle)
  }

  test("rows that a filter removes keep their substream from being idle") {
    val in = events()
    val run = new Run(counts(in.toDF().transform(idleAfterFive).where(col("sub") === "a"))).start()
    in.addData(event("a", 30), event("b", 3))
    run.settle()
    (1 to 4).foreach { _ =>
      run.clock.advance(4000)
      in.addData(event("b", 3))
      run.settle()
    }
    val node = watermarks(run.query).watermarks("time")
    assert(node.substreams.filter(_._2.idle).keySet === Set("a"))
    assert(run.watermark("time") === Some(3000L))
  }

  test("unread backlog is never idleness: a stream that is read file by file leaves nobody out") {
    val folder = files(
      Seq(event("a", 5), event("b", 5)),
      Seq(event("a", 25)),
      Seq(event("a", 35)),
      Seq(event("b", 6))
    )
    val run = new Run(
      counts(
        stream(folder)
          .transform(idleAfterFive)
      )
    )
    // Every batch is slower than the timeout.
    run.failIn = _ => { run.clock.advance(60000); false }
    run.start().settle()
    assert(run.lateRows === Map.empty)
  }

  test("fewer files than the limit are no backlog: a silent substream becomes idle") {
    val folder = files(Seq(event("a", 5), event("b", 5)), Seq(event("a", 35)))
    val run = new Run(
      counts(
        stream(folder, filesPerBatch = 10)
          .transform(idleAfterFive)
      )
    )
    run.start().settle()
    Seq(65, 95, 125).zipWithIndex.foreach { case (second, i) =>
      run.clock.advance(4000)
      addFile(folder, 2 + i, Seq(event("a", second.toDouble)))
      run.query.processAllAvailable()
    }
    assert(run.watermark("time").exists(_ > 5000L))
  }

  test("watermarks can be asked for as soon as a query is started") {
    val in = events()
    val run = new Run(counts(in.toDF().withKeyedWatermark("time", "0 seconds"))).start()
    assert(watermarks(run.query).watermarks.values.forall(_.watermark.isEmpty))
    run.stop()
    assert(KnownQueries.of(run.query).ids.runId === run.query.runId)
  }

  test("a keyed frame that foreachBatch only explains does not disturb the query") {
    val (in, other) = (events(), events())
    val run = new Run(counts(in.toDF().withKeyedWatermark("time", "0 seconds")))
    run.failIn = _ => {
      other.toDF().withKeyedWatermark("time", "1 second", name = "other").explain()
      false
    }
    run.start()
    in.addData(event("a", 5))
    run.settle()
    in.addData(event("a", 25))
    run.settle()
    assert(run.answer === Seq("[0,10)|1"))
  }

  test("a filter after the watermark hides no activity") {
    val in = events()
    val run = new Run(
      counts(
        in.toDF()
          .transform(idleAfterFive)
          .where(col("sub") === "a")
      )
    )
    run.start()
    in.addData(event("a", 30), event("b", 3))
    run.settle()
    in.addData(event("a", 40), event("b", 14))
    run.settle()
    assert(run.watermark("time") === Some(14000L))
    assert(run.take() === Nil)
  }

  test("an event too far in the future moves no watermark, and is counted") {
    val in = events()
    val run = new Run(
      counts(
        in.toDF()
          .withKeyedWatermark("time", "0 seconds", name = "guarded", maxFutureSkew = "1 hour")
      )
    )
    run.start()
    val now = run.clock.getTimeMillis() / 1000
    in.addData(event("a", 5), event("a", now + 3601.0), event("a", now + 7200.0))
    run.settle()
    assert(run.watermark("guarded") === Some(5000L))
    assert(watermarks(run.query).watermarks("guarded").futureEvents === 2)
    in.addData(event("a", now + 3600.0))
    run.settle()
    assert(run.watermark("guarded") === Some((now + 3600) * 1000))
  }

  test("a null time moves nothing, is never late, and passes stateless operators") {
    val in = events()
    val keyed = in
      .toDF()
      .withColumn("time", when(col("n") > 0, col("time")))
      .withKeyedWatermark("time", "0 seconds")
    val run = new Run(keyed.select("n")).start()
    in.addData(event("a", 50, 0))
    run.settle()
    assert(run.answer === Seq("0"))
    assert(run.watermark("time") === None)
  }

  test("a self-union keeps one clock, and both copies count") {
    val in = events()
    val keyed = in.toDF().withKeyedWatermark("time", "0 seconds", name = "orders")
    val run = new Run(counts(keyed.union(keyed))).start()
    in.addData(event("a", 5))
    run.settle()
    in.addData(event("a", 25))
    run.settle()
    assert(run.answer === Seq("[0,10)|2"))
    assert(watermarks(run.query).watermarks.keySet === Set("orders", "orders-2"))
    assert(run.query.lastProgress.sources.count(_.description == "tidegate_clock") === 1)
  }

  test("a late row is logged in one line") {
    val in = events()
    val run = new Run(counts(in.toDF().withKeyedWatermark("time", "0 seconds"))).start()
    in.addData(event("a", 30))
    run.settle()
    val lines = LogLines.during(classOf[clock.EventTimeClock].getName) {
      in.addData(event("b", 9.877, 4))
      run.settle()
    }
    assert(
      lines === Seq(
        "Event dropped, late by 20123ms. currentWatermark=1970-01-01T00:00:30.000Z, " +
          "eventTime=1970-01-01T00:00:09.877Z, event=[time=1970-01-01 00:00:09.877], " +
          s"operator=aggregate, watermark=time, query=${run.query.id}, substream=*"
      )
    )
    assert(run.lateRows === Map("aggregate" -> 1L))
  }
}
