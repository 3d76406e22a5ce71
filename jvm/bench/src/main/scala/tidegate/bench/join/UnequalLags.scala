package tidegate.bench.join

import org.apache.spark.sql.SparkSession

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
    val held = JoinRun.stateRows(batch)
    def rowsOf(side: String) = rowsOfSide(spark, run, side)
    println(
      f" $name: at most $held rows in the state (${rowsOf("left")} orders, ${rowsOf("right")} " +
        f"deliveries; ${JoinRun.stateBytes(batch) / 1e6}%.0f MB), after batch ${batch.batchId} of " +
        s"${run.progress.size}; ${JoinRun.stateRows(run.progress.last)} at the end"
    )
    held
  }

  /** The number of rows of one side after the run's fullest batch, read from the checkpoint. */
  private def rowsOfSide(spark: SparkSession, run: JoinRun, side: String): Long =
    spark.read
      .format("statestore")
      .option("batchId", run.fullest.batchId)
      .option("joinSide", side)
      .load(run.checkpoint.toString)
      .count()
}
