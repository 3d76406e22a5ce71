package tidegate
package analysis

import java.nio.file.Path

import scala.util.Random

import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Texts of SQL over the view `events`, once as a stream and once as a table. */
trait SameTextTest extends RestartTest {

  /** The plan of the last batch. */
  def plan(run: Run): String = SparkInternals.execution(run.query).get.explainInternal(false)

  /** Rows of some minutes, out of order but not late, and a last one that closes all windows. */
  lazy val input: Path = {
    val random = new Random(7)
    val rows = Seq.tabulate(6) { batch =>
      Seq.tabulate(30) { i =>
        event(s"s${random.nextInt(3)}", batch * 30 + random.nextInt(35), batch * 30 + i + 1)
      }
    }
    files(rows :+ Seq(event("s0", 100000, 0)): _*)
  }

  def query(rows: DataFrame, text: String): DataFrame = {
    rows.where("n > 0").createOrReplaceTempView("events")
    spark.sql(text)
  }

  def streamed(text: String): DataFrame =
    query(stream(input).withKeyedWatermark("time", "40 seconds"), text)

  /** The rows of the text over a table. */
  def wanted(text: String): Seq[String] =
    query(table(input), text).collect().map(KeyedStreamTest.text).toSeq.sorted

  /** The error of a query that does not start, without the place in its text. */
  def refused(text: String, mode: OutputMode = OutputMode.Append()): String =
    intercept[AnalysisException](new Run(streamed(text), mode = mode).start()).getMessage
      .replaceFirst("; line \\d+ pos \\d+", "")

  val tumble = "TUMBLE(TABLE(events), DESCRIPTOR(time), INTERVAL 20 SECONDS)"
  val hop = "HOP(TABLE(events), DESCRIPTOR(time), INTERVAL 40 SECONDS, INTERVAL 10 SECONDS)"
  val cumulate =
    "CUMULATE(TABLE(events), DESCRIPTOR(time), INTERVAL 10 SECONDS, INTERVAL 40 SECONDS)"
  val sessions = "SESSION(TABLE(events) PARTITION BY sub, DESCRIPTOR(time), INTERVAL 1 SECOND)"
}
