package tidegate

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.core.clock.ClockEvent.{Ended, Stalled, Withheld}
import tidegate.sources.PartitionedLog

/** The warnings about time that stands still. The core has when they are due. */
class StallSuite extends KeyedStreamTest {

  private val logger = "tidegate.clock.ClockLog"

  private def counts(df: DataFrame): DataFrame = df
    .withKeyedWatermark(
      "time",
      "1 second",
      substream = Seq("sub"),
      name = "orders",
      idleTimeout = null
    )
    .groupBy(window(col("time"), "1 second"))
    .count()

  private def lines(run: Run)(body: => Unit): Seq[String] =
    LogLines.during(logger)(body).map(_.replace(run.query.id.toString, "ID"))

  test("time that is held for ten minutes: a warning with who holds it, and not another one") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 100), event("b", 31))
    run.settle()
    run.clock.advance(599999)
    in.addData(event("a", 105))
    assert(lines(run)(run.settle()) === Nil)
    run.clock.advance(1)
    def warning(still: String) =
      s"Query ID, watermark `orders`: time has stood still for $still, " +
        "at 1970-01-01T00:00:30Z. It waits for the substream b, which is 1 min 14 s behind the newest " +
        s"and has had no row for $still. tidegate.explainTime(query) says what would help."
    assert(lines(run)(run.settle()) === Seq(warning("10 min")))
    assert(lines(run)(run.settle()) === Nil)
    run.clock.advance(600000)
    assert(lines(run)(run.settle()) === Seq(warning("20 min")))
  }

  test("another bound, or none") {
    for ((setting, warnings) <- Seq("5 seconds" -> 1, "0 seconds" -> 0))
      withConf("spark.tidegate.stallWarning" -> setting) {
        val in = events()
        val run = new Run(counts(in.toDF())).start()
        in.addData(event("a", 100), event("b", 31))
        run.settle()
        run.clock.advance(3600000)
        assert(lines(run)(run.settle()).size === warnings, setting)
      }
  }

  test("a source that reports rows and gives none: what it holds, and what the explanation says") {
    val log = new PartitionedLog
    def frame = log
      .toDF(spark)
      .withKeyedWatermark(
        "time",
        "0 seconds",
        substream = Seq("partition"),
        name = "orders",
        idleTimeout = null
      )
      .groupBy(window(col("time"), "1 second"))
      .count()
    def row(second: Double) = at(second) -> 1
    val run = new Run(frame).start()
    log.send(3, row(1000000))
    log.send(7, row(999700))
    run.settle()
    log.limit = part => if (part == 7) 0 else Long.MaxValue
    log.send(3, row(1000001))
    log.send(7, Seq.fill(12)(row(999701)): _*)
    run.settle()
    val source = run.query.lastProgress.sources.map(_.description).find(_ != "tidegate_clock").get
    assert(
      explainTime(run.query).linesIterator.toSeq.slice(3, 5) === Seq(
        "`orders` waits for partition 7, which is 5 min 1 s behind the newest and has 12 rows to " +
          "read, since 1970-01-12T13:46:40Z or longer: the query was started then.",
        "  What helps: more cores, or more rows in a batch, so that the query catches up with what " +
          "is there to be read."
      )
    )
    run.clock.advance(600000)
    val start = "Query ID, watermark `orders`: "
    assert(
      lines(run)(run.settle()).sorted === Seq(
        s"${start}for 10 min, the source $source has reported rows and given none of them, as " +
          "Kafka's does with minOffsetsPerTrigger. Time waits for these rows.",
        s"${start}time has stood still for 10 min, at 1970-01-12T13:41:40Z. It waits for the " +
          "substream 7, which is 5 min 1 s behind the newest and has rows that are not read. " +
          "tidegate.explainTime(query) says what would help."
      )
    )
    log.limit = _ => Long.MaxValue
    run.settle()
    assert(explainTime(run.query).contains("waits for partition 7, which is 5 min behind"))
    run.clock.advance(600000)
    assert(!lines(run)(run.settle()).exists(_.contains("has reported rows")))
  }

  test("what the log says of rows that are not read, of none, of a source, and of the end") {
    def stalled(by: Option[String], behindMs: Long, isBehind: Boolean) =
      Stalled("orders", None, 600000, by, behindMs, 60000, isBehind).text
    val advice = " tidegate.explainTime(query) says what would help."
    assert(
      stalled(Some("7"), 5000, isBehind = true) === "time has stood still for 10 min, without a " +
        "value. It waits for the substream 7, which is 5 s behind the newest and has rows that are " +
        s"not read.$advice"
    )
    assert(
      stalled(
        None,
        0,
        isBehind = false
      ) === "time has stood still for 10 min, without a value. It " +
        s"waits for the first row of its stream.$advice"
    )
    assert(
      Withheld("orders", "KafkaV2[Subscribe[orders]]", 600000).text === "for 10 min, the " +
        "source KafkaV2[Subscribe[orders]] has reported rows and given none of them, as Kafka's " +
        "does with minOffsetsPerTrigger. Time waits for these rows."
    )
    assert(
      Ended("orders").text ===
        "time has ended: the run was flushed, and no row is expected any more."
    )
  }
}
