package tidegate.bench.sql

import org.apache.spark.sql.SparkSession
import tidegate.TidegateExtensions
import tidegate.bench.Pairs

/**
 * Measures what the extension adds to the time to parse and analyze statements: `make bench-sql`.
 *
 * Two sessions, without and with the extension, share a context and analyze the same script of 200
 * statements. In the script `others` no statement has one of our calls. In `calls` every tenth
 * statement has one, and Spark's session groups by `window` instead.
 */
object AnalysisOverhead {
  private val WarmUps = 20

  def main(arguments: Array[String]): Unit = {
    val rounds = arguments.headOption.fold(25)(_.toInt)
    // The extension is not in the context's configuration, because every session of the context
    // would get it.
    val plain = session.getOrCreate()
    val extended = session.withExtensions(new TidegateExtensions).create()
    plain.sparkContext.setLogLevel("ERROR")
    val others = Script.others
    try {
      compare("others", rounds)(plain, others)(extended, others)
      compare("calls", rounds)(plain, Script.withWindows)(extended, Script.withCalls)
    } finally plain.sparkContext.stop()
  }

  private def session = SparkSession
    .builder()
    .master("local[2]")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")

  private def compare(name: String, rounds: Int)(plain: SparkSession, sparks: Seq[String])(
      extended: SparkSession,
      ours: Seq[String]
  ): Unit = {
    println(s"$name: ${sparks.size} statements without and with the extension, $rounds rounds")
    def analyze(session: SparkSession, script: Seq[String]) = script.foreach(session.sql(_))
    (1 to WarmUps).foreach { _ =>
      analyze(plain, sparks)
      analyze(extended, ours)
    }
    val times = Pairs.measure(rounds)(() => analyze(plain, sparks), () => analyze(extended, ours))
    println(s" $name: ${Pairs.ratios(times.head, times.last)}")
  }
}
