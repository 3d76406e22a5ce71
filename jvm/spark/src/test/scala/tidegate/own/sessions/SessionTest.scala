package tidegate
package own.sessions

import java.io.ByteArrayOutputStream

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.own.OperatorHarness
import tidegate.own.windows.FrameTest
import tidegate.settings.Settings.SessionsEnabled

/** Queries of sessions by a number. */
trait SessionTest extends FrameTest {

  override def setting: String = SessionsEnabled.key

  def keyed(rows: DataFrame): DataFrame =
    rows.withKeyedWatermark("time", "2 seconds", substream = Seq("sub"))

  def grouped(rows: DataFrame, gap: String): DataFrame =
    rows.groupBy(session_window(col("time"), gap), col("n")).agg(count("*"), sum("n"))

  def inSessions(rows: DataFrame, gap: String): DataFrame = grouped(keyed(rows), gap)

  /** Whether the last batch has merged its sessions with our own operator. */
  def isOwn(run: Run): Boolean =
    FrameTest.framesIn(run.query).exists(_.nodeName == "SessionAggregate")

  def isOwn(run: OperatorHarness): Boolean =
    run.plan.toSeq.flatMap(FrameTest.framesIn).exists(_.nodeName == "SessionAggregate")

  /** What Spark's reader shows of the state of our operator. */
  def state(run: CollectedBatches): DataFrame = spark.read
    .format("statestore")
    .option("operatorId", 1000L)
    .load(run.checkpoint.toString)

  def explained(df: DataFrame): String = {
    val out = new ByteArrayOutputStream
    Console.withOut(out)(df.explain())
    out.toString
  }
}
