package tidegate
package own.windows

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.own.HarnessTest

/** Results whose code Java cannot compile as one method. */
class LargeResultsSuite extends HarnessTest {

  override protected def atNight: Seq[String] = Seq("windows with")

  private val label =
    (1 to 1500).map(i => s"WHEN $i THEN 'label $i'").mkString("CASE n ", " ", " END AS label")

  Seq[(String, DataFrame => DataFrame)](
    "windows" -> (_.groupBy(window(col("time"), "10 seconds", "5 seconds"), col("n")).count()),
    "sessions" -> (_.groupBy(session_window(col("time"), "10 seconds"), col("n")).count())
  ).foreach { case (name, grouped) =>
    test(s"$name with results of too much code come out without generated code") {
      val in = feed()
      val keyed = in.toDF().withKeyedWatermark("time", "1 second")
      val run = harness(grouped(keyed).selectExpr(label, "count"))
      val lines = LogLines.during("tidegate.own.aggregates.EntrySlots") {
        run.start()
        in.addData(event("a", 5, 1499), event("a", 6, 1499), event("a", 7, 1))
        run.settle()
        in.addData(event("a", 99, 2))
        run.settle()
        ()
      }
      assert(run.answer.distinct.toSet === Set("label 1|1", "label 1499|2"))
      assert(
        lines.distinct ===
          Seq("There is no generated code for the frames of a query, which is slower.")
      )
    }
  }
}
