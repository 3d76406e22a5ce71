package tidegate.bench.join

import tidegate.bench.BenchSession

/**
 * An interval join over keyed watermarks against the same join over Spark's: `make bench-join`.
 *
 * Arguments are the parts to run, `equal`, `lags` and `silent` (none: all of them), and `--rows N`,
 * `--pairs N` and `--state hdfs|rocksdb`.
 */
object JoinBenchmark {
  private val Providers = Map(
    "hdfs" -> "HDFSBackedStateStoreProvider",
    "rocksdb" -> "RocksDBStateStoreProvider"
  )

  private final case class Settings(
      parts: Seq[String] = Nil,
      rows: Long = 5000000L,
      pairs: Int = 5,
      state: String = "hdfs"
  )

  def main(arguments: Array[String]): Unit = {
    val settings = parse(arguments.toList, Settings())
    val provider = "org.apache.spark.sql.execution.streaming.state." + Providers(settings.state)
    BenchSession.use("spark.sql.streaming.stateStore.providerClass" -> provider) { spark =>
      println(s"Interval join, state in ${settings.state}")
      (if (settings.parts.isEmpty) Seq("equal", "lags", "silent") else settings.parts).foreach {
        case "equal"  => EqualLags.run(spark, settings.rows, settings.pairs)
        case "lags"   => UnequalLags.run(spark, settings.rows, settings.pairs)
        case "silent" => SilentSide.run(spark)
      }
    }
  }

  private def parse(arguments: List[String], settings: Settings): Settings = arguments match {
    case Nil                      => settings
    case "--rows" :: n :: others  => parse(others, settings.copy(rows = n.toLong))
    case "--pairs" :: n :: others => parse(others, settings.copy(pairs = n.toInt))
    case "--state" :: s :: others if Providers.contains(s) =>
      parse(others, settings.copy(state = s))
    case (part @ ("equal" | "lags" | "silent")) :: others =>
      parse(others, settings.copy(parts = settings.parts :+ part))
    case other :: _ =>
      throw new IllegalArgumentException(
        s"'$other' is not equal, lags, silent, --rows N, --pairs N or --state hdfs|rocksdb"
      )
  }
}
