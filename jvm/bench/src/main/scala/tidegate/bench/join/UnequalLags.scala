package tidegate.bench.join

import org.apache.spark.sql.functions.{col, size, sum}
import org.apache.spark.sql.{Row, SparkSession}

/**
 * Orders lag by an hour, deliveries by five seconds: measures the state that the join must hold.
 *
 * Spark keeps both sides until the minimum of both watermarks has passed. With keyed watermarks
 * orders wait only for the watermark of the deliveries; deliveries must wait for the watermark of
 * the orders in either case. So the gain depends on the number of orders for each delivery.
 */
private[join] object UnequalLags {

  def run(spark: SparkSession, rows: Long, pairs: Int, ordersPerDelivery: Int): Unit = {
    println(
      s"Unequal lags: orders 1 h, deliveries 5 s, $ordersPerDelivery orders for a delivery " +
        s"($rows rows, $pairs pairs)"
    )
    val files = OrderFiles.write(spark, rows, ordersPerDelivery)
    val watermarks = Watermarks(ordersLag = "1 hour", deliveriesLag = "5 seconds")
    val runs = new JoinPairs(files, watermarks, flush = false).run(pairs)
    val held = watermarks.sides.map { case (name, _) => report(spark, name, runs(name)) }
    println(f" state rows ratio: ${held(1).toDouble / held(0)}%.3f")
    runs.values.foreach(_.delete())
    files.delete()
  }

  /** Prints and returns the largest number of rows in the state at the end of a batch. */
  private def report(spark: SparkSession, name: String, run: JoinRun): Long = {
    val batch = run.fullest
    val (orders, deliveries) = (rowsOfSide(spark, run, "left"), rowsOfSide(spark, run, "right"))
    println(
      f" $name: at most ${orders + deliveries} rows in the state ($orders orders, $deliveries " +
        f"deliveries; ${JoinRun.stateBytes(batch) / 1e6}%.0f MB), after batch ${batch.batchId} of " +
        s"${run.progress.size}"
    )
    orders + deliveries
  }

  /** The number of rows of one side after the run's fullest batch, read from the checkpoint. */
  private def rowsOfSide(spark: SparkSession, run: JoinRun, side: String): Long = {
    val state = spark.read.format("statestore").option("batchId", run.fullest.batchId)
    val isOwn = run.fullest.stateOperators.exists(_.operatorName == "intervalJoin")
    if (!isOwn) state.option("joinSide", side).load(run.checkpoint.toString).count()
    else {
      // A row of the state of our own join has the rows of a key.
      val rows = col(s"value.$side")
      val held = state.load(run.checkpoint.toString).where(rows.isNotNull).agg(sum(size(rows)))
      held.collect().head match {
        case Row(n: Long) => n
        case _            => 0L
      }
    }
  }
}
