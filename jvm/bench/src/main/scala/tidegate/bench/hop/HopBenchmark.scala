package tidegate.bench.hop

import tidegate.bench.{BenchSession, ProcessMemory}

/**
 * Compares sliding windows over a keyed watermark with the same windows over Spark's:
 * `make bench-hop`.
 *
 * Arguments are the parts to run (none: the parts in `HopSettings.Usual`) and options, which the
 * README of the benchmarks lists. Each run prints a line of JSON. A part fails if its sides emit
 * different rows.
 */
object HopBenchmark {

  def main(arguments: Array[String]): Unit = {
    val settings = HopSettings.parse(arguments.toSeq)
    ProcessMemory.watch()
    BenchSession.use() { spark =>
      val parts = new Parts(spark, settings)
      settings.parts.foreach(parts.run)
    }
  }
}
