package tidegate

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.TestQueries
import org.json4s.jackson.JsonMethods

/** The dashboard and the alert rules of the page on monitoring ask for metrics that there are. */
class MonitoringFilesSuite extends KeyedStreamTest {

  private val folder = Paths.get(sys.props("tidegate.docs"), "monitoring")

  private def text(file: String): String = Files.readString(folder.resolve(file))

  /** The names of metrics that a file asks for, as regular expressions. */
  private def asked(file: String): Seq[String] =
    """__name__=~\\?"([^"\\]*)""".r
      .findAllMatchIn(text(file))
      .map(_.group(1).replace("${query}", ".*"))
      .toSeq
      .distinct

  private val Line = """([a-zA-Z_][a-zA-Z0-9_]*)\{type="[a-z]+"\} (\S+)""".r

  /** The page for Prometheus of a query with a watermark, by the name of the metric. */
  private lazy val page: Map[String, String] =
    withConf("spark.sql.streaming.metricsEnabled" -> "true") {
      val in = events()
      val counts = in
        .toDF()
        .withKeyedWatermark("time", "1 second", substream = Seq("sub"), name = "late orders")
        .groupBy(window(col("time"), "10 seconds"))
        .count()
      val run = new Run(counts).start()
      in.addData(event("a", 31), event("b", 21))
      run.settle()
      in.addData(event("b", 5))
      run.settle()
      val lines = TestQueries.prometheusPage.linesIterator.toSeq.filter(_.contains("_tidegate_"))
      val read = lines.collect { case Line(name, value) => name -> value }
      assert(read.size === lines.size, lines)
      assert(read.map(_._1).distinct.size === read.size)
      val others = TestQueries.prometheusPage.linesIterator.collect { case Line(name, v) =>
        name -> v
      }
      run.stop()
      (others ++ read).toMap
    }

  private def ours = page.filter(_._1.matches(".*_tidegate_.*_Value"))

  test("the page for Prometheus: names that it can read, and numbers") {
    val found = ours.map { case (name, value) => name.replaceAll(".*_tidegate_", "") -> value }
    assert(
      found === Map(
        "late_orders_watermarkLagMs_Value" -> "999980000",
        "late_orders_heldBackMs_Value" -> "10000",
        "late_orders_activeSubstreams_Value" -> "2",
        "late_orders_idleSubstreams_Value" -> "0",
        "late_orders_unreadSubstreams_Value" -> "0",
        "late_orders_futureEvents_Value" -> "0",
        "aggregate_lateRows_Value" -> "1",
        "aggregate_partlyLateRows_Value" -> "0"
      )
    )
  }

  for (file <- Seq("dashboard.json", "alerts.yml"))
    test(s"$file: each metric that it asks for is there") {
      val missing = asked(file).filterNot(regex => page.keys.exists(_.matches(regex)))
      assert(asked(file).size >= 4)
      assert(missing === Nil)
    }

  test("the dashboard shows each metric, and is JSON") {
    val unseen = ours.keys.filterNot(name => asked("dashboard.json").exists(name.matches))
    assert(unseen.toSeq === Nil)
    assert(JsonMethods.parseOpt(text("dashboard.json")).isDefined)
  }

  test("the page on monitoring names each gauge") {
    val words = Files.readString(folder.resolveSibling("monitoring.md"))
    val gauges = ours.keys.map(_.stripSuffix("_Value").split("_").last).toSeq
    assert(gauges.size === 8)
    assert(gauges.filterNot(g => words.contains(s"`$g`")) === Nil)
  }
}
