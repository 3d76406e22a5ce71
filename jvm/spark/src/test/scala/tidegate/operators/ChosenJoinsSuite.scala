package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.builders.Between
import tidegate.own.windows.FrameTest
import tidegate.settings.Settings.JoinEnabled

/** Which joins are Tidegate's own, and how one sees this. */
class ChosenJoinsSuite extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "rightOuter join",
    "leftSemi join",
    "leftOuter join"
  )

  private val own = "IntervalJoin"
  private val sparks = "StreamingSymmetricHashJoin"

  private def joined(how: String, left: Path = left): DataFrame = {
    val (l, r) = (orders(stream(left)), deliveries(stream(right)))
    l.streamJoin(r, l("id") === r("id"), how, within(10))
  }

  /** Bounds in one direction, for an inner join: orders stay for ever. */
  private def boundOnce: DataFrame = {
    val (l, r) = (orders(stream(left)), deliveries(stream(right)))
    l.join(r, l("id") === r("id") && l("order_time") <= r("delivery_time"))
  }

  private def unbounded: DataFrame =
    orders(stream(left)).streamJoin(deliveries(stream(right)), Seq("id"))

  /** The joins in the plan of the last batch, as `query.explain()` prints them. */
  private def joinsIn(run: Run): Seq[String] =
    s"($own|$sparks)[( ]".r
      .findAllMatchIn(ReadableTextSuite.explained(run.query, extended = false))
      .map(_.group(1))
      .toSeq

  private def ran(df: => DataFrame): Run = new Run(df).start().settle()

  for (how <- joinTypes)
    test(s"$how join with bounds in both directions: query.explain() names Tidegate's operator") {
      val run = ran(joined(how))
      assert(joinsIn(run) === Seq(own))
      assert(FrameTest.planOf(run.query).exists(_.getClass.getSimpleName == "IntervalJoinExec"))
    }

  test("with times that are equal") {
    assert(joinsIn(ran {
      val (l, r) = (orders(stream(left)), deliveries(stream(right)))
      l.join(r, l("order_time") === r("delivery_time"))
    }) === Seq(own))
  }

  Seq(
    "an inner join without bounds" -> (() => unbounded),
    "bounds in one direction" -> (() => boundOnce)
  ).foreach { case (title, query) =>
    test(s"$title: Spark's operator")(assert(joinsIn(ran(query())) === Seq(sparks)))
  }

  test("the setting is off: Spark's operator") {
    withConf(JoinEnabled.key -> "false")(
      assert(joinsIn(ran(joined("inner"))) === Seq(sparks))
    )
  }

  for (isOwn <- Seq(true, false))
    test(s"the checkpoint decides, and not a setting of later: ${if (isOwn) own else sparks}") {
      val folder = files(Seq(event("a", 5, 1)))
      val run = new Run(joined("fullOuter", folder))
      Seq(isOwn, !isOwn).zipWithIndex.foreach { case (enabled, i) =>
        withConf(JoinEnabled.key -> enabled.toString)(run.start().settle())
        assert(joinsIn(run) === Seq(if (isOwn) own else sparks))
        run.stop()
        addFile(folder, i + 1, Seq(event("a", 6, 1)))
      }
    }

  private def refused(now: => DataFrame, query: => DataFrame = joined("inner")): String = {
    val before = ran(query)
    before.stop()
    val rows = before.log
    val error = intercept[AnalysisException] {
      val again = new Run(now, before.checkpoint).start()
      again.query.processAllAvailable()
    }
    val gone = new Run(query, before.checkpoint).start().settle()
    assert(gone.log.take(rows.size) === rows)
    gone.stop()
    error.getMessage
  }

  test("a join that has lost its bounds is refused, and nothing is lost") {
    assert(
      refused(unbounded) ===
        "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `join`: the rows of an interval join. " +
        "But the query cannot use them: it has no time on each side by which rows leave the state. Start the query as it " +
        "was, or with a new checkpoint; nothing in this one was changed. SQLSTATE: 42K03"
    )
  }

  /** Orders with a second time, under a name, and deliveries. */
  private def byTime(
      time: String,
      second: String = "paid_time",
      folder: Path = left
  ): DataFrame = {
    val l = orders(stream(folder))
      .withColumn(second, col("order_time") - expr("INTERVAL 1 HOUR"))
      .withKeyedWatermark(second, "2 seconds", key = 2, name = "paid")
    val r = deliveries(stream(right))
    l.streamJoin(
      r,
      l("id") === r("id"),
      "inner",
      Between("delivery_time", time, "0 seconds", "10 seconds")
    )
  }

  // Of the times, the state has only what is used after the join, and the time of the join.
  for (used <- Seq(Seq("paid_time", "order_time", "delivery_time"), Seq("delivery_time")))
    test(s"a join by another time of a side is refused, and nothing is lost; used: $used") {
      def query(time: String) = byTime(time).select(used.map(col): _*)
      assert(
        refused(query("paid_time"), query("order_time")).contains(
          "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `join`: the rows of an interval join. But the " +
            "rows of its left side are joined by `paid_time` now, and were joined by `order_time` " +
            "before. Start the query as it was, or with a new checkpoint; nothing in this one was " +
            "changed."
        )
      )
    }

  test("a time that has another name is the same time") {
    val folder = files(Seq(event("a", 5, 1)))
    val run = ran(byTime("paid_time", folder = folder))
    run.stop()
    addFile(folder, 1, Seq(event("a", 6, 1)))
    val again = new Run(byTime("paid", "paid", folder), run.checkpoint).start().settle()
    assert(joinsIn(again) === Seq(own))
    again.stop()
  }

  test("a query without the join is refused, and nothing is lost") {
    assert(
      refused(orders(stream(left)).dropDuplicates("id", "order_time").select(col("id"))).contains(
        "But the query has no join of streams there, but `deduplicate`. Start the query as it was, or with a new " +
          "checkpoint; nothing in this one was changed."
      )
    )
  }
}
