package tidegate.bench.join

import java.nio.file.{Path, Paths}

import tidegate.bench.{BenchSession, FlinkProcess}

/**
 * Compares an interval join over keyed watermarks with the same join over Spark's:
 * `make bench-join`.
 *
 * Arguments are the parts to run, `equal`, `lags`, `lags9` and `silent` (none: all of them), and
 * `--rows N`, `--pairs N` (0: only the warm-up), `--state hdfs|rocksdb` and `--flink DIR`, the
 * folder with Flink's side of `equal`: `make bench-join-flink`.
 */
object JoinBenchmark {
  private val Parts = Seq("equal", "lags", "lags9", "silent")
  private val Providers = Map(
    "hdfs" -> "HDFSBackedStateStoreProvider",
    "rocksdb" -> "RocksDBStateStoreProvider"
  )

  private final case class Settings(
      parts: Seq[String] = Nil,
      rows: Long = 5000000L,
      pairs: Int = 3,
      state: String = "hdfs",
      flink: Option[Path] = None
  )

  def main(arguments: Array[String]): Unit = {
    val settings = parse(arguments.toList, Settings())
    val provider = "org.apache.spark.sql.execution.streaming.state." + Providers(settings.state)
    BenchSession.use("spark.sql.streaming.stateStore.providerClass" -> provider) { spark =>
      println(s"Interval join, state in ${settings.state}")
      (if (settings.parts.isEmpty) Parts else settings.parts).foreach {
        case "equal" =>
          FlinkProcess.use(settings.flink) {
            EqualLags.run(spark, settings.rows, settings.pairs, settings.state, _)
          }
        case "lags"   => UnequalLags.run(spark, settings.rows, settings.pairs, 1)
        case "lags9"  => UnequalLags.run(spark, settings.rows, settings.pairs, 9)
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
    case "--flink" :: dir :: others =>
      parse(others, settings.copy(flink = Some(Paths.get(dir).toAbsolutePath)))
    case part :: others if Parts.contains(part) =>
      parse(others, settings.copy(parts = settings.parts :+ part))
    case other :: _ =>
      throw new IllegalArgumentException(
        s"'$other' is not ${Parts.mkString(", ")}, --rows N, --pairs N, --state hdfs|rocksdb or " +
          "--flink DIR"
      )
  }
}
