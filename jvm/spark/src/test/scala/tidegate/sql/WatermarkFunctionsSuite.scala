package tidegate
package sql

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger

/** `current_watermark` and `is_late`. */
class WatermarkFunctionsSuite extends RestartTest {

  private lazy val folder = files(
    Seq(event("a", 100), event("b", 90)),
    Seq(event("a", 105), event("b", 90)),
    Seq(event("a", 106), event("b", 84)),
    Seq(event("a", 120), event("b", 120)),
    Seq(event("a", 120)),
    Seq(event("a", 115), event("b", 85), event("b", 114))
  )

  private def ordered(name: String): DataFrame =
    stream(folder).withKeyedWatermark("time", "5 seconds", substream = Seq("sub"), name = name)

  private val functions = Seq(
    "time",
    "is_late(time) AS late",
    "current_watermark('o') AS w",
    "current_watermark('time')",
    "current_watermark(time)"
  )

  test("the watermark at the start of a batch, the same when it is replayed") {
    val run = checkRestarts(ordered("o").selectExpr(functions: _*))
    assert(
      run.byBatch.toSeq.sortBy(_._1).map(_._2) === Seq(
        Seq("100|false|null|null|null", "90|false|null|null|null"),
        // As in Spark, a batch does not know yet what the one before it saw.
        Seq("105|false|null|null|null", "90|false|null|null|null"),
        Seq("106|false|85|85|85", "84|true|85|85|85"),
        Seq("120|false|85|85|85", "120|false|85|85|85"),
        Seq("120|false|85|85|85"),
        Seq("114|true|115|115|115", "115|false|115|115|115", "85|true|115|115|115")
      )
    )
  }

  test("late is what the next stateful operator drops") {
    val run = checkKills(ordered("o").where("NOT is_late(time)").groupBy("time").count())
    val all = new Run(ordered("o").groupBy("time").count()).start().settle()
    assert(run.answer === all.answer)
    assert(all.lateRows === Map("aggregate" -> 3L))
  }

  test("a window, its end, a union, a join, a case, an exchange under adaptive execution") {
    def inPlan(frame: => DataFrame)(expected: String*): Unit =
      assert(new Run(frame).start().settle().stop().byBatch(5L) === expected.sorted)

    ordered("o").createOrReplaceTempView("o")
    inPlan(
      spark.sql("""
        SELECT time, is_late(window_end), is_late(window_time)
        FROM tumble(o, descriptor(time), 5 seconds)""")
    )("114|true|true", "115|false|false", "85|true|true")
    inPlan(
      ordered("o")
        .withColumn("w", window(col("time"), "5 seconds"))
        .selectExpr("time", "is_late(w)")
    )(
      "114|true",
      "115|false",
      "85|true"
    )
    inPlan(
      ordered("o").union(ordered("o2")).repartition(2).selectExpr("time", "current_watermark(time)")
    )(Seq.fill(2)(Seq("114|115", "115|115", "85|115")).flatten: _*)
    inPlan(
      ordered("o")
        .repartition(2)
        .selectExpr("time", "CASE WHEN is_late(time) THEN current_watermark('o') END")
        .where("NOT is_late(time) OR time < current_watermark('time')")
    )("114|115", "115|null", "85|115")
    val static = spark.range(1).selectExpr("'b' AS sub")
    inPlan(
      ordered("o")
        .as("o")
        .join(static.as("s"), expr("o.sub = s.sub AND is_late(o.time)"))
        .select("time")
    )(
      "114",
      "85"
    )
  }

  test("in foreachBatch, on the frame of the batch: late rows go to a table of their own") {
    val (late, rest) = (mutable.Buffer.empty[String], mutable.Buffer.empty[String])
    def route(batch: DataFrame, id: Long): Unit = {
      def text(condition: String) =
        batch.where(condition).selectExpr("time", "current_watermark('o')").collect()
      late ++= text("is_late(time)").map(r => s"$id|${KeyedStreamTest.text(r)}")
      rest ++= text("NOT is_late(time)").map(r => s"$id|${KeyedStreamTest.text(r)}")
    }
    val query = ordered("o").writeStream
      .option("checkpointLocation", newCheckpoint().toString)
      .trigger(Trigger.AvailableNow())
      .foreachBatch(route _)
      .start()
    query.awaitTermination()
    assert(late.sorted === Seq("2|84|85", "5|114|115", "5|85|115"))
    assert(rest.size === 9)
  }

  test("batch data has no watermark: NULL, and no row is late") {
    val row = table(folder).selectExpr("is_late(time)", "current_watermark('any')").distinct()
    assert(row.collect().toSeq.map(KeyedStreamTest.text) === Seq("false|null"))
  }
}
