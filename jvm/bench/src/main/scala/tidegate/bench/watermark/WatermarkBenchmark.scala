package tidegate.bench.watermark

import tidegate.bench.BenchSession

/**
 * Compares keyed watermarks with Spark's own: `make bench-watermark`.
 *
 * All comparisons alternate both sides in one run, and print the minimum and the median of the
 * pairs, because machines are noisy.
 */
object WatermarkBenchmark {

  def main(arguments: Array[String]): Unit = {
    val wanted = if (arguments.isEmpty) Seq("node", "query", "clock") else arguments.toSeq
    BenchSession.use() { spark =>
      wanted.foreach {
        case "node"  => NodeCost.run(spark)
        case "query" => TumblingCount.run(spark)
        case "clock" => ClockScale.run(spark)
        case other   => throw new IllegalArgumentException(s"'$other' is not node, query or clock")
      }
    }
  }
}
