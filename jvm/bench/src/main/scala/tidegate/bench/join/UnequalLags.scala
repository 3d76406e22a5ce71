package tidegate.bench.join

import org.apache.spark.sql.SparkSession

/**
 * Orders lag by an hour, deliveries by five seconds: the state that the join has to hold.
 *
 * Spark keeps both sides until the minimum of both watermarks has passed. With keyed watermarks
 * orders wait for the watermark of the deliveries only; deliveries have to wait for that of the
 * orders in either case. So it depends on how many rows there are of each what can be won.
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

  /** Prints and returns the most rows that the state held at the end of a batch. */
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

  /** The rows of one side of the join after that batch, read from the checkpoint. */
  private def rowsOfSide(spark: SparkSession, run: JoinRun, side: String): Long =
    spark.read
      .format("statestore")
      .option("batchId", run.fullest.batchId)
      .option("joinSide", side)
      .load(run.checkpoint.toString)
      .count()
}
