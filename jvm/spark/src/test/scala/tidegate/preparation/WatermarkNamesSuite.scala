package tidegate.preparation

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate._
import tidegate.columns.WatermarkFunction

/** Watermarks of one name, and functions that ask for one of them. */
class WatermarkNamesSuite extends RestartTest {

  private def keyed(name: String, lag: String = "1 second"): DataFrame =
    events().toDF().withKeyedWatermark("time", lag, name = name)

  /** The final names of the watermarks that the columns of a started query ask for. */
  private def asked(df: DataFrame): Seq[(String, String)] = {
    val query = df.writeStream.format("noop").start()
    try {
      query.processAllAvailable()
      val plan = SparkInternals.execution(query).get.logicalPlan
      plan
        .flatMap(_.expressions.flatMap(_.collect { case Alias(f: WatermarkFunction, column) =>
          column -> f.source.input.toSeq.flatMap(_.nodes).mkString
        }))
        .sorted
    } finally query.stop()
  }

  private def ask(df: DataFrame, names: String*): DataFrame =
    names.zipWithIndex.foldLeft(df) { case (all, (name, i)) =>
      all.withColumn(s"w$i", expr(s"current_watermark('$name')"))
    }

  test("a name that looks like a number given to a repeated name is a name of its own") {
    val (first, second, seventh) = (keyed("orders"), keyed("orders"), keyed("orders-7"))
    val below = ask(seventh.union(second), "orders", "orders-7")
    val above = ask(first, "orders").withColumn("w1", lit(null).cast("timestamp")).union(below)
    assert(asked(above) === Seq("w0" -> "orders", "w0" -> "orders-2", "w1" -> "orders-7"))
  }

  test("a watermark that had to give its name away is still found by it") {
    val all = keyed("orders").union(keyed("orders")).union(keyed("orders-2"))
    val found = asked(ask(all, "orders", "orders-2"))
    assert(found === Seq("w0" -> "orders", "w1" -> "orders-2-2"))
  }

  test("a number that was given to a repeated name is found where no watermark has it for a name") {
    val both = keyed("orders").union(keyed("orders"))
    assert(asked(ask(both, "orders-2")) === Seq("w0" -> "orders-2"))
  }

  test("in foreachBatch too a watermark is found by the name that it was given") {
    val folder = files(Seq(event("a", 100)), Seq(event("a", 200)), Seq(event("a", 300)))
    def lagging(name: String, lag: String) =
      stream(folder).withKeyedWatermark("time", lag, name = name)
    val all = lagging("orders", "10 seconds")
      .union(lagging("orders", "20 seconds"))
      .union(lagging("orders-2", "30 seconds"))
    val found = mutable.Map.empty[Long, Seq[String]]
    def look(batch: DataFrame, id: Long): Unit = {
      val times = ask(batch, "orders", "orders-2").select("w0", "w1").distinct().collect()
      found(id) = times.toSeq.map(KeyedStreamTest.text)
    }
    val query = all.writeStream
      .option("checkpointLocation", newCheckpoint().toString)
      .trigger(Trigger.AvailableNow())
      .foreachBatch(look _)
      .start()
    query.awaitTermination()
    assert(found.toMap === Map(0L -> Seq("null|null"), 1L -> Seq("null|null"), 2L -> Seq("90|70")))
  }
}
