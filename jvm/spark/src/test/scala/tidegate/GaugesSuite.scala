package tidegate

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.TestQueries

/** The gauges of watermarks and operators among Spark's metrics. */
class GaugesSuite extends KeyedStreamTest {

  private def counts(df: DataFrame, name: String = "orders"): DataFrame = df
    .withKeyedWatermark("time", "1 second", substream = Seq("sub"), name = name)
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def enabled[T](body: => T): T =
    withConf("spark.sql.streaming.metricsEnabled" -> "true")(body)

  /** The gauges of ours that sinks are told of, of a query. */
  private def told(run: Run): Map[String, Any] = TestQueries.reportedGauges(run.query).collect {
    case (name, value) if name.startsWith("tidegate-") => name.stripPrefix("tidegate-") -> value
  }

  test("the gauges of a query: hidden until they have a value, and gone with the query") {
    enabled {
      val in = events()
      val run = new Run(counts(in.toDF())).start().settle()
      val noTime = Map(
        "orders-activeSubstreams" -> 0L,
        "orders-idleSubstreams" -> 0L,
        "orders-unreadSubstreams" -> 0L,
        "orders-futureEvents" -> 0L,
        "aggregate-lateRows" -> 0L,
        "aggregate-partlyLateRows" -> 0L
      )
      assert(told(run) === noTime)
      in.addData(event("a", 31), event("b", 21))
      run.settle()
      run.clock.advance(1000)
      val startMs = 1000000000L
      val withTime = noTime ++ Map(
        "orders-watermarkLagMs" -> (startMs + 1000 - 20000),
        "orders-heldBackMs" -> 10000L,
        "orders-activeSubstreams" -> 2L
      )
      assert(told(run) === withTime)
      in.addData(event("b", 5))
      run.settle()
      assert(told(run) === withTime + ("aggregate-lateRows" -> 1L))
      run.restart().settle()
      // Only those of the run that runs, and its counts begin anew.
      assert(told(run) === withTime)
      run.stop()
      assert(told(run) === Map.empty)
    }
  }

  test("a query that fails leaves none") {
    enabled {
      val in = events()
      val run = new Run(counts(in.toDF())).start().settle()
      assert(told(run).nonEmpty)
      run.failIn = _ => true
      in.addData(event("a", 31))
      run.awaitEnd()
      assert(told(run) === Map.empty)
    }
  }

  test("without Spark's metrics there are none") {
    val run = new Run(counts(events().toDF())).start().settle()
    assert(told(run) === Map.empty)
  }

  test("names that Prometheus cannot show, and two that would be one there") {
    enabled {
      val (left, right) = (events(), events())
      def side(in: DataFrame, time: String, name: String, key: Int) = in
        .withColumnRenamed("time", time)
        .withKeyedWatermark(time, "1 second", key = key, name = name)
      val bounds = Between("r", "l", "0 seconds", "5 seconds")
      val l = side(left.toDF(), "l", "a b", 0)
      val r = side(right.toDF(), "r", "a.b", 1)
      val run = new Run(l.streamJoin(r, Seq("sub"), "inner", bounds)).start().settle()
      assert(
        told(run).keySet.filter(_.endsWith("Substreams")).map(_.takeWhile(_ != '-')) ===
          Set("a_b")
      )
      assert(told(run).keySet.contains("a_b-2-activeSubstreams"))
      assert(told(run).keySet.contains("join_left-lateRows"))
      val atPrometheus = told(run).keys.toSeq.map(_.replaceAll("[^a-zA-Z0-9]", "_"))
      assert(atPrometheus.distinct === atPrometheus)
    }
  }
}
