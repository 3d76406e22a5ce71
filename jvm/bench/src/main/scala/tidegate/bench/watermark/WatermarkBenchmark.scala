package tidegate.bench.watermark

import org.apache.spark.sql.SparkSession

/**
 * Keyed watermarks against Spark's own: `make bench-watermark`.
 *
 * All comparisons alternate both sides in one run, and print minimum and median of the pairs, as
 * machines are noisy.
 */
object WatermarkBenchmark {

  def main(arguments: Array[String]): Unit = {
    val wanted = if (arguments.isEmpty) Seq("node", "query", "clock") else arguments.toSeq
    val spark = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.sql.extensions", "tidegate.TidegateExtensions")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.streaming.numRecentProgressUpdates", "10000")
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try wanted.foreach {
        case "node" => NodeCost.run(spark)
        case "query" => TumblingCount.run(spark)
        case "clock" => ClockScale.run(spark)
        case other => throw new IllegalArgumentException(s"'$other' is not node, query or clock")
      } finally spark.stop()
  }
}

/** Alternating measurements of the same work. */
private[watermark] object Pairs {

  /** Seconds of each side, in the order of the rounds; the first round warms up and is left out. */
  def measure(rounds: Int)(sides: (() => Unit)*): Seq[Seq[Double]] = {
    val all = (0 to rounds).map { round =>
      val seconds = sides.map(seconds)
      println(f"  round $round${if (round == 0) " (warm-up)" else ""}: " +
        seconds.map(s => f"$s%.3f s").mkString(", "))
      seconds
    }
    all.tail.transpose
  }

  private def seconds(body: () => Unit): Double = {
    val start = System.nanoTime()
    body()
    (System.nanoTime() - start) / 1e9
  }

  def median(values: Seq[Double]): Double = values.sorted.apply(values.size / 2)
}
