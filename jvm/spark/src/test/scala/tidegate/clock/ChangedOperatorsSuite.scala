package tidegate
package clock

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** The rows of operators that were changed between two runs of a query on one checkpoint. */
class ChangedOperatorsSuite extends RestartTest {

  private def keyed(in: DataFrame, name: String, key: Int = 0): DataFrame =
    in.withKeyedWatermark("time", "5 seconds", key, substream = Seq("sub"), name = name)

  /** The rows that one query has before a stop, and the changed one after the stop. */
  private def rows(before: => DataFrame, after: => DataFrame)(
      between: => Unit
  ): (Seq[String], Seq[String]) = {
    val first = new Run(before).start().settle().stop()
    between
    (first.answer, new Run(after, first.checkpoint).start().settle().stop().answer)
  }

  private def sessions(folder: Path, gap: String): DataFrame =
    keyed(stream(folder), "orders").groupBy(session_window(col("time"), gap), col("sub")).count()

  private val end = Seq(event("a", 100), event("b", 100))

  for (
    isOwn <- Seq(false, true);
    (gaps, next, wanted) <- Seq(
      (
        ("3 seconds", "8 seconds"),
        Seq(event("a", 12), event("b", 15)),
        Seq("[10,13)|b|1", "[10,20)|a|2", "[15,23)|b|1")
      ),
      (
        ("8 seconds", "3 seconds"),
        Seq(event("a", 16), event("b", 20)),
        Seq("[10,18)|b|1", "[10,19)|a|2", "[20,23)|b|1")
      )
    )
  )
    test(
      s"sessions of ${if (isOwn) "Tidegate" else "Spark"} with a gap of ${gaps._1} and then of " +
        s"${gaps._2} keep their ends"
    ) {
      withConf("spark.tidegate.sessions.enabled" -> isOwn.toString) {
        val folder = files(Seq(event("a", 10), event("b", 10)))
        val found = rows(sessions(folder, gaps._1), sessions(folder, gaps._2)) {
          addFile(folder, 1, next)
          addFile(folder, 2, end)
        }
        assert(found === ((Nil, wanted)))
      }
    }

  private def joined(left: Path, right: Path, upper: String): DataFrame =
    joined(stream(left), stream(right), upper, "inner")

  private def joined(left: DataFrame, right: DataFrame, upper: String, how: String): DataFrame = {
    val deliveries =
      keyed(right, "deliveries", 1).select(col("n"), col("time").as("delivered"))
    keyed(left, "orders")
      .select("n", "time")
      .streamJoin(deliveries, Seq("n"), how, Between("delivered", "time", "0 seconds", upper))
      .select("n", "time", "delivered")
  }

  /** The watermark of the deliveries is at 14: with three seconds, the first order has left. */
  private def orders: Path = files(Seq(event("a", 10, 1), event("a", 12, 2)))
  private def deliveries: Path = files(Seq(event("a", 19, 9)))

  private val matches = Seq(event("a", 16, 1), event("a", 16, 2))

  onBothStores("with wider bounds of a join, rows that have left the state are not found") {
    val (left, right) = (orders, deliveries)
    val found = rows(joined(left, right, "3 seconds"), joined(left, right, "9 seconds")) {
      addFile(right, 1, matches)
    }
    assert(found === ((Nil, Seq("2|12|16"))))
  }

  onBothStores("with narrower bounds of a join, rows outside are not joined any more") {
    val (left, right) = (orders, deliveries)
    def wide = joined(left, right, "9 seconds")
    val (before, after) = rows(wide, joined(left, right, "3 seconds")) {
      addFile(right, 1, matches :+ event("a", 15, 2))
    }
    assert((before, after) === ((Nil, Seq("2|12|15"))))
    assert(new Run(wide).start().settle().stop().answer === Seq("1|10|16", "2|12|15", "2|12|16"))
  }

  for (
    isOwn <- Seq(false, true);
    (before, after, wanted) <- Seq(
      ("inner", "leftOuter", Seq("1|10|null", "2|12|null")),
      ("leftOuter", "inner", Nil)
    )
  )
    test(s"${if (isOwn) "Tidegate's" else "Spark's"} join of the type $before and then $after") {
      withConf("spark.tidegate.join.enabled" -> isOwn.toString) {
        val (left, right) = (this.orders, files(Seq(event("a", 12, 9))))
        // Spark refuses an outer side that may have nulls in place of an inner one.
        def orders = if (isOwn) stream(left) else EventFiles.withoutNulls(stream(left))
        def join(how: String) = joined(orders, stream(right), "3 seconds", how)
        val found = rows(join(before), join(after)) {
          addFile(left, 1, Seq(event("a", 100, 3)))
          addFile(right, 1, Seq(event("a", 100, 9)))
        }
        assert(found === ((Nil, wanted)))
      }
    }

  test("open windows of Spark keep their size, and new rows come into new windows") {
    withConf("spark.tidegate.windows.enabled" -> "false") {
      val folder = files(Seq(event("a", 25)))
      def counts(size: String) =
        keyed(stream(folder), "orders").groupBy(window(col("time"), size)).count()
      val found = rows(counts("10 seconds"), counts("30 seconds")) {
        addFile(folder, 1, Seq(event("a", 26)))
        addFile(folder, 2, end.take(1))
      }
      assert(found === ((Nil, Seq("[0,30)|1", "[20,30)|1"))))
    }
  }
}
