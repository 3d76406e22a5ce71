package tidegate.bench.join

import org.apache.spark.sql.SparkSession
import tidegate.bench.FlinkProcess

/** Both streams lag by two seconds: measures what keyed watermarks cost if they gain nothing. */
private[join] object EqualLags {

  def run(
      spark: SparkSession,
      rows: Long,
      pairs: Int,
      state: String,
      flink: Option[FlinkProcess]
  ): Unit = {
    println(s"Equal lags: 2 s on both streams ($rows rows, $pairs pairs)")
    val files = OrderFiles.write(spark, rows, ordersPerDelivery = 1)
    val watermarks = Watermarks(ordersLag = "2 seconds", deliveriesLag = "2 seconds")
    val others = flink.map(f => () => f.whole("delivered", state, files.folders))
    val runs = new JoinPairs(files, watermarks, flush = true, others).run(pairs)
    runs.foreach { case (name, run) =>
      val (data, empty) = run.progress.partition(_.numInputRows > 0)
      println(
        s" $name: ${data.size} batches with data, ${empty.size} without, " +
          f"at most ${JoinRun.stateRows(run.fullest)} rows in the state, " +
          f"${run.progress.map(JoinRun.stateBytes).max / 1e6}%.1f MB, " +
          s"${JoinRun.stateRows(run.progress.last)} at the end"
      )
      run.delete()
    }
    files.delete()
  }
}
