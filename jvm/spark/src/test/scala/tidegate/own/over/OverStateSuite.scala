package tidegate
package own.over

import java.sql.Timestamp
import java.time.Instant

import tidegate.own.{HarnessTest, OperatorHarness}

/** What functions with `OVER` keep, and for how long. */
class OverStateSuite extends HarnessTest {

  override protected def closing: String = "sameBatch"

  /** Keys `a` to `t`, then `a` alone, long after. */
  private val batches = Seq(
    ('a' to 't').map(k => event(k.toString, 1, 1)),
    Seq(event("a", 2, 2), event("z", 2, 0)),
    Seq(event("a", 99, 4)),
    Seq(event("a", 100, 8)),
    Seq(event("a", 200, 0))
  )

  private def run(frame: String): OperatorHarness = checkKilled(
    feed(batches: _*)
      .toDF()
      .withKeyedWatermark("time", "0 seconds")
      .selectExpr("sub", "n", s"sum(n) OVER (PARTITION BY sub ORDER BY time $frame) AS sum")
      .where("sub = 'a'")
  )

  private def keys(run: OperatorHarness): Long = run.rowsOfOperators.toMap.apply("over")

  test("a batch writes the keys of its rows, and no others")(onEach {
    val written = run("").metric("numUpdatedStateRows")
    // In the first two batches all keys come, and leave the order.
    assert(written.drop(2).max < 5, written)
  })

  test("keys leave when the watermark has passed all frames that have their rows")(onEach {
    val over = run("RANGE BETWEEN INTERVAL 10 SECONDS PRECEDING AND CURRENT ROW")
    assert(over.answer === Seq("a|1|1", "a|2|3", "a|4|4", "a|8|12"))
    assert(keys(over) === 0)
  })

  test("a frame of the calendar does not go back, also where the calendar does")(onEach {
    def at(time: String, n: Int) = Event("a", Timestamp.from(Instant.parse(time)), n)
    val rows = Seq(
      at("2026-02-28T12:00:00Z", 1),
      at("2026-03-30T13:00:00Z", 2),
      // A month before this one is earlier than a month before the one before.
      at("2026-03-31T11:00:00Z", 4),
      at("2026-08-01T00:00:00Z", -1)
    )
    val frame = "RANGE BETWEEN INTERVAL 2 MONTHS PRECEDING AND INTERVAL 1 MONTH PRECEDING"
    for (batches <- Seq(rows.map(Seq(_)), Seq(rows))) {
      val over = harness(
        feed(batches: _*)
          .toDF()
          .withKeyedWatermark("time", "0 seconds")
          .selectExpr("n", s"sum(n) OVER (PARTITION BY sub ORDER BY time $frame)")
          .where("n > 0")
      ).start().settle().restart().settle()
      assert(over.answer === Seq("1|null", "2|1", "4|1"))
    }
  })

  test("keys that are needed for ever leave after the retention, and begin anew")(onEach {
    val kept = run("")
    assert(kept.answer === Seq("a|1|1", "a|2|3", "a|4|7", "a|8|15"))
    assert(keys(kept) === 21)
    withConf("spark.tidegate.over.retention" -> "30 seconds") {
      val forgotten = run("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
      assert(forgotten.answer === Seq("a|1|1", "a|2|3", "a|4|4", "a|8|12"))
      assert(keys(forgotten) === 0)
      // Also when the rows come in one batch, in which no key leaves before.
      val atOnce = harness(
        feed(batches.flatten.filter(_.sub == "a") :+ event("a", 1000, -1))
          .toDF()
          .withKeyedWatermark("time", "300 seconds")
          .selectExpr("n", "sum(n) OVER (ORDER BY time)")
      ).start().settle()
      assert(atOnce.answer === Seq("0|0", "1|1", "2|3", "4|4", "8|12"))
    }
  })
}
