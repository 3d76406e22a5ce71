package tidegate
package execution

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.own.windows.FrameTest

/**
 * Aggregates that keep an INTERVAL, or have one as a key. A state also has rows that are of no key:
 * pages of due keys, and the number of rows. There such a column is NULL, which Spark's check of
 * the rows that a task reads takes only in one form. Equal keys with an INTERVAL need not have
 * equal bytes.
 */
class IntervalValuesSuite extends FrameTest {

  override protected def atNight: Seq[String] = Seq(
    "struct with an INTERVAL inside",
    "INTERVAL leaves Spark's operator: windows that do not",
    "INTERVAL leaves Spark's operator: sessions"
  )

  private val windows: Seq[(String, Column)] = Seq(
    "windows that do not overlap" -> window(col("time"), "4 seconds"),
    "windows that slide" -> window(col("time"), "4 seconds", "2 seconds"),
    "sessions" -> session_window(col("time"), "3 seconds")
  )

  for ((title, window) <- windows)
    onBothStores(s"the first INTERVAL of a group: $title") {
      def query(rows: DataFrame): DataFrame = rows
        .withKeyedWatermark("time", "2 seconds")
        .groupBy(window, col("n"))
        .agg(count("*"), first(expr("make_interval(0, 0, 0, 0, 0, 0, n)")).cast("string"))
      val batches = (1 to 5).map(b => (0 to 5).map(i => event("a", 4.0 * b + i % 4, i % 3)))
      val folder = files(batches :+ Seq(event("a", 1000, 9)): _*)
      val run = checkKilled(query(feedOf(folder).toDF()))
      val expected = query(table(folder).where("n < 9")).collect().map(KeyedStreamTest.text)
      assert(run.answer === expected.toSeq.sorted)
      assert(run.plan.toSeq.flatMap(FrameTest.framesIn(_)).nonEmpty)
    }

  private val keys: Seq[(String, String)] = Seq(
    "an INTERVAL" -> "make_interval(0, 0, 0, 0, 0, 0, n)",
    "a struct with an INTERVAL inside" -> "struct(array(make_interval(0, 0, 0, 0, 0, 0, n)))"
  )

  for ((title, window) <- windows; (key, expression) <- keys)
    onBothStores(s"a key that is $key leaves Spark's operator: $title") {
      def query(rows: DataFrame): DataFrame = rows
        .withKeyedWatermark("time", "2 seconds")
        .groupBy(window, expr(expression).as("key"))
        .agg(count("*"), first("n").as("n"))
        .drop("key")
      val batches = (1 to 5).map(b => (0 to 5).map(i => event("a", 4.0 * b + i % 4, i % 3)))
      val folder = files(batches :+ Seq(event("a", 1000, 9)): _*)
      val run = checkKilled(query(feedOf(folder).toDF()))
      val expected = query(table(folder)).where("n < 9").collect().map(KeyedStreamTest.text)
      assert(run.answer === expected.toSeq.sorted)
      assert(run.plan.toSeq.flatMap(FrameTest.framesIn(_)) === Nil)
      val plan = run.plan.get.treeString
      assert(plan.contains("is an interval, or has one inside"), plan)
    }
}
