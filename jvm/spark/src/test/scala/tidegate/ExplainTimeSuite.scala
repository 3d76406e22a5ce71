package tidegate

import java.io.ByteArrayOutputStream

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Whole explanations of running queries. The core has those of all situations. */
class ExplainTimeSuite extends KeyedStreamTest {

  private def counts(df: DataFrame, idleTimeout: String = "60 seconds"): DataFrame = df
    .withKeyedWatermark(
      "time",
      "1 second",
      substream = Seq("sub"),
      name = "orders",
      idleTimeout = idleTimeout
    )
    .groupBy(window(col("time"), "1 second"))
    .count()

  private def lines(run: Run): Seq[String] =
    explainTime(run.query).replace(run.query.id.toString, "ID").linesIterator.toSeq

  private val Base = 1000000.0

  test("from the first trigger to a restart and the end") {
    val in = events()
    val run = new Run(counts(in.toDF(), idleTimeout = null)).start().settle()
    assert(
      lines(run) === Seq(
        "The query `ID` runs; it is 1970-01-12T13:46:40Z.",
        "",
        "`orders` has no time yet: its stream has had no row since the query was started, just now.",
        "  What helps: rows. If the source has some, a filter before the watermark may remove all.",
        "",
        "`aggregate` waits for `orders`, which has no time yet."
      )
    )
    in.addData(event("a", Base), event("b", Base - 60))
    run.settle()
    run.clock.advance(120000)
    in.addData(event("a", Base + 120))
    run.settle()
    def waits(since: String) = "`orders` waits for `b`, which is 3 min behind the newest and has " +
      s"had no row for 2 min, since $since or longer: the query was started then."
    val advice =
      "  It has no idle timeout, so time waits for ever. What helps: idleTimeout, such " +
        "as idleTimeout=\"60 seconds\", leaves a silent substream out."
    val place = "`orders` is at 1970-01-12T13:45:39Z, 3 min 1 s behind the wall clock."
    val aggregate = "`aggregate` waits for `b` of `orders`, which is 3 min behind the newest and " +
      "has had no row for 2 min."
    val now = "1970-01-12T13:48:40Z"
    assert(
      lines(run) === Seq(
        s"The query `ID` runs; it is $now.",
        "",
        place,
        waits("1970-01-12T13:46:40Z"),
        advice,
        "`orders` is falling behind: 0.0 event seconds per second.",
        "",
        aggregate
      )
    )
    run.restart().settle()
    assert(lines(run).slice(2, 5) === Seq(place, waits(now), advice))
    run.clock.advance(600000)
    run.stop()
    run.clock.advance(600000)
    val ended = lines(run)
    assert(ended.head.startsWith("The query `ID` has ended. The following is what was true at"))
    val asked = spark
      .sql(s"SELECT sentence FROM tidegate_explain_time('${run.query.runId}') ORDER BY line")
      .collect()
      .map(_.getString(0).replace(run.query.id.toString, "ID"))
    assert(asked.toSeq === ended)
  }

  test("a query that has failed: the first line of its error") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    run.failIn = _ => true
    in.addData(event("a", Base))
    run.awaitEnd()
    val head = lines(run).head
    assert(head.startsWith("The query `ID` has failed: "))
    assert(head.contains("is made to fail"))
    assert(!head.contains(".."))
  }

  test("late rows, and an idle substream that is left out") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", Base), event("b", Base - 100))
    run.settle()
    run.clock.advance(61000)
    in.addData(event("a", Base + 60))
    run.settle()
    in.addData(event("a", Base + 61))
    run.settle()
    assert(lines(run).contains("1 of its 2 substreams is idle and left out: `b`."))
    in.addData(event("b", Base - 99), event("b", Base - 98))
    run.settle()
    val found = lines(run)
    assert(
      found.exists(
        _.startsWith("`aggregate` has dropped 2 rows as late since the query was started")
      )
    )
    assert(found.exists(_.contains("2 rows of the substream b are below the watermark")))
  }

  test("a query without keyed watermarks is refused in the words of `watermarks`") {
    val run = new Run(events().toDF()).start().settle()
    val e = intercept[AnalysisException](explainTime(run.query))
    assert(e.getMessage === intercept[AnalysisException](watermarks(run.query)).getMessage)
    assert(e.getCondition === "TIDEGATE_NOT_A_TIDEGATE_QUERY")
    assert(intercept[AnalysisException](progress(run.query)).getMessage === e.getMessage)
  }

  test("explainTime prints what it returns") {
    val run = new Run(counts(events().toDF())).start().settle()
    val out = new ByteArrayOutputStream
    val returned = Console.withOut(out)(explainTime(run.query))
    assert(out.toString === returned + "\n")
    assert(returned.startsWith(s"The query `${run.query.id}` runs"))
  }

  test("of all queries that run, in SQL") {
    val (first, second) = (
      new Run(counts(events().toDF())).start().settle(),
      new Run(counts(events().toDF())).start().settle()
    )
    val found = spark.sql("SELECT DISTINCT query_id FROM tidegate_explain_time()").collect()
    assert(found.map(_.getString(0)).toSet === Set(first, second).map(_.query.id.toString))
  }
}
