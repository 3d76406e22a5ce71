package tidegate

import java.util.UUID

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.tidegate.{OnlyShown, QueryGauge, QueryReports, TestClock, TestQueries}

/** What only shows something may fail, and the query goes on. */
class OnlyShownSuite extends KeyedStreamTest {

  private def counts(in: DataFrame): DataFrame = in
    .withKeyedWatermark("time", "1 second", name = "orders")
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def start(df: DataFrame, name: String): StreamingQuery = TestQueries.start(
    df,
    newCheckpoint().toString,
    OutputMode.Append(),
    Trigger.ProcessingTime(0),
    new TestClock(1000000000L),
    Some(name)
  )((batch, _) => batch.collect(): Unit)

  test("two queries of one name, in two sessions, with gauges: both run") {
    withConf("spark.sql.streaming.metricsEnabled" -> "true") {
      val folder = EventFiles.of(Seq(event("a", 1)), Seq(event("a", 2)))
      val other = spark.newSession()
      other.conf.set("spark.sql.streaming.metricsEnabled", "true")
      val queries = Seq(spark, other).map { session =>
        start(counts(EventFiles.stream(session, folder, 1)), "hourly")
      }
      try {
        queries.foreach(_.processAllAvailable())
        assert(
          queries.map(q => (q.isActive, watermarks(q).operators.keySet)) ===
            Seq.fill(2)((true, Set("aggregate")))
        )
      } finally queries.foreach(_.stop())
    }
  }

  /** Reports of which each part fails. */
  private object Failing extends QueryReports {
    private def fail = throw new IllegalStateException("cannot be shown")
    override def times(hasBatch: Boolean): Map[String, Long] = fail
    override def batchEnded(batchId: Long, inputRows: Long): Map[String, String] = fail
    override def source: String = ""
    override def gauges: Seq[QueryGauge] = fail
    override def hidesOffset: Boolean = fail
  }

  test("figures, event times and gauges that fail: the progress is reported") {
    val in = events()
    val query = start(counts(in.toDF()), s"query ${UUID.randomUUID()}")
    in.addData(event("a", 1))
    query.processAllAvailable()
    try
      for (reports <- Seq(Failing, new FailingGauges))
        assert(TestQueries.reported(query, reports) === query.lastProgress)
    finally query.stop()
  }

  private final class FailingGauges extends QueryReports {
    override def times(hasBatch: Boolean): Map[String, Long] = Map.empty
    override def batchEnded(batchId: Long, inputRows: Long): Map[String, String] = Map.empty
    override def source: String = ""
    override def hidesOffset: Boolean = false
    override def gauges: Seq[QueryGauge] =
      Seq(QueryGauge("a", () => throw new IllegalStateException("no value")))
  }

  test(
    "an error of another version of a library does not end the query, an error of the JVM does"
  ) {
    val shown = new OnlyShown
    assert(shown.orElse("A figure", 1)(throw new NoSuchMethodError("a method")) === 1)
    intercept[OutOfMemoryError](shown("A figure")(throw new OutOfMemoryError))
  }
}
