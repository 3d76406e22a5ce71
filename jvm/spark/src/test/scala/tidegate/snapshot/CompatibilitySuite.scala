package tidegate
package snapshot

import java.nio.file.Files

import scala.util.Try

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException

/**
 * What `checkCompatibility` says of each change of a query. The oracle is a real start of the
 * changed query on the same checkpoint.
 */
class CompatibilitySuite extends RestartTest {

  private val rows = Seq(
    Seq(event("a", 5), event("b", 5)),
    Seq(event("a", 15), event("b", 17)),
    Seq(event("a", 25), event("b", 26, 2))
  )

  private def keyed(
      in: DataFrame,
      lag: String = "5 seconds",
      name: String = "orders",
      substream: Seq[String] = Seq("sub"),
      key: Int = 0
  ): DataFrame = in.withKeyedWatermark("time", lag, key, substream = substream, name = name)

  private def windows(size: String, slide: String = null)(in: DataFrame): DataFrame = {
    val of = Option(slide).fold(window(col("time"), size))(window(col("time"), size, _))
    in.groupBy(of, col("sub")).count()
  }

  private def sessions(gap: String)(in: DataFrame): DataFrame =
    keyed(in).groupBy(session_window(col("time"), gap), col("sub")).count()

  private def joined(upper: String, how: String = "leftOuter")(in: DataFrame): DataFrame = {
    val right =
      keyed(in, name = "deliveries", key = 1).select(col("n"), col("time").as("delivered"))
    keyed(in)
      .select(col("n"), col("time"))
      .streamJoin(right, Seq("n"), how, Between("delivered", "time", "0 seconds", upper))
  }

  /**
   * @param stages
   *   the verdict on each stage that was changed, with the beginning of its reason
   */
  private def cell(
      title: String,
      before: DataFrame => DataFrame,
      after: DataFrame => DataFrame,
      settings: Map[String, String] = Map.empty
  )(stages: (String, Verdict, String)*): Unit = test(title) {
    val folder = EventFiles.of(rows: _*)
    val run = new Run(before(stream(folder))).start().settle().stop()
    val files = run.checkpoint.toFile.list.toSet
    withConf(settings.toSeq: _*) {
      val changed = after(stream(folder))
      val found = checkCompatibility(run.checkpoint.toString, changed)
      assert(run.checkpoint.toFile.list.toSet === files)
      stages.foreach { case (stage, verdict, reason) =>
        val s = found.stages.find(_.stage == stage)
        assert(s.map(_.verdict) === Some(verdict), found)
        assert(s.get.reason.startsWith(reason))
      }
      // A real start says the same.
      addFile(folder, 3, Seq(event("a", 60), event("b", 60)))
      val again = new Run(changed, run.checkpoint)
      val refusal = Try(again.start().settle().stop()).failed.toOption.map {
        case e: StreamingQueryException => e.getCause
        case e                          => e
      }
      assert(found.isCompatible === refusal.isEmpty, refusal.map(_.getMessage))
      val words = found.stages.find(_.verdict == Verdict.Refused).map(_.reason)
      assert(words === refusal.map(_.getMessage.replace("file:/", "/")))
    }
  }

  import Verdict._

  private val hourly = (in: DataFrame) => windows("10 seconds")(keyed(in))
  private val sliding = (in: DataFrame) => windows("20 seconds", "5 seconds")(keyed(in))

  cell("nothing", hourly, hourly)(("query", GoesOn, ""), ("orders", GoesOn, ""))

  cell("another lag", hourly, in => windows("10 seconds")(keyed(in, lag = "9 seconds")))(
    ("orders", GoesOn, "the checkpoint was made with the policy fixedLag(5000 ms), and the query"),
    ("aggregate", GoesOn, "")
  )

  cell(
    "another policy",
    hourly,
    in =>
      windows("10 seconds")(
        in.withKeyedWatermark(
          "time",
          policy = limitingLagAndLull("5 seconds", "9 seconds"),
          substream = Seq("sub"),
          name = "orders"
        )
      )
  )(("orders", GoesOn, "the checkpoint was made with the policy fixedLag"))

  cell("other substreams", hourly, in => windows("10 seconds")(keyed(in, substream = Nil)))(
    ("orders", GoesOn, "the checkpoint was made with the substream columns sub STRING")
  )

  cell("another name", hourly, in => windows("10 seconds")(keyed(in, name = "events")))(
    ("events", BeginsEmpty, "A new watermark"),
    ("orders", Removed, ""),
    ("aggregate", GoesOn, "")
  )

  cell("a larger window", hourly, in => windows("30 seconds")(keyed(in)))(
    ("aggregate", GoesOn, "")
  )

  cell("a larger sliding window", sliding, in => windows("40 seconds", "5 seconds")(keyed(in)))(
    ("aggregate", WindowsAffected, "The windows of aggregate were changed from windows of 20000 ms")
  )

  cell("a smaller sliding window", sliding, in => windows("10 seconds", "5 seconds")(keyed(in)))(
    ("aggregate", GoesOn, "The windows of aggregate were changed from windows of 20000 ms")
  )

  cell("another slide", sliding, in => windows("20 seconds", "4 seconds")(keyed(in)))(
    ("aggregate", WindowsAffected, "The windows of aggregate were changed")
  )

  cell("a tumbling window in place of a sliding one", sliding, hourly)(
    ("aggregate", GoesOn, "The windows of aggregate were changed")
  )

  cell("a sliding window in place of a tumbling one", hourly, sliding)(
    ("aggregate", WindowsAffected, "The windows of aggregate were changed")
  )

  cell("a larger session gap", sessions("3 seconds"), sessions("8 seconds"))(
    ("aggregate", GoesOn, "")
  )

  cell("a smaller session gap", sessions("8 seconds"), sessions("3 seconds"))(
    ("aggregate", GoesOn, "")
  )

  cell("wider bounds of a join", joined("3 seconds"), joined("9 seconds"))(
    ("join.left", GoesOn, ""),
    ("join.right", GoesOn, "")
  )

  cell("narrower bounds of a join", joined("9 seconds"), joined("3 seconds"))(
    ("join.left", GoesOn, ""),
    ("join.right", GoesOn, "")
  )

  cell("another type of join", joined("3 seconds"), joined("3 seconds", "inner"))(
    ("query", GoesOn, "")
  )

  cell(
    "another aggregate",
    hourly,
    in => keyed(in).groupBy(window(col("time"), "10 seconds"), col("sub")).agg(avg("n"))
  )(("query", Refused, "[TIDEGATE_FRAMES_REFUSED] The checkpoint has the frames of aggregate"))

  cell(
    "another key",
    hourly,
    in => keyed(in).groupBy(window(col("time"), "10 seconds"), col("n")).count()
  )(("query", Refused, "[STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE]"))

  cell("a filter", hourly, in => windows("10 seconds")(keyed(in.where("n < 9"))))(
    ("query", GoesOn, "")
  )

  cell("another operator", hourly, in => keyed(in).dropDuplicates("time", "n"))(
    ("query", Refused, "[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA]")
  )

  cell("one more operator", hourly, in => windows("10 seconds")(keyed(in).dropDuplicates("time")))(
    ("query", Refused, "[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA]")
  )

  cell("one more stream", hourly, in => windows("10 seconds")(keyed(in).union(keyed(in))))(
    ("query", Refused, "")
  )

  cell(
    "another number of shuffle partitions",
    hourly,
    hourly,
    Map("spark.sql.shuffle.partitions" -> "7")
  )(("query", GoesOn, "The state has 1 partitions, and keeps them"))

  cell("no frames", sliding, sliding, Map("spark.tidegate.frames.enabled" -> "false"))(
    ("query", Refused, "[TIDEGATE_FRAMES")
  )

  test("a checkpoint of Spark is refused, and goes on where it may be adopted") {
    val folder = EventFiles.of(rows: _*)
    val of = stream(folder).withWatermark("time", "5 seconds")
    val run = new Run(windows("10 seconds")(of)).start().settle().stop()
    def found = checkCompatibility(run.checkpoint.toString, hourly(stream(folder)))
    assert(
      found.stages === Seq(
        StageVerdict(
          "query",
          "query",
          Refused,
          s"[TIDEGATE_CHECKPOINT_OF_SPARK] The checkpoint ${run.checkpoint} was made without " +
            "Tidegate, and the query has keyed watermarks. Let the query adopt the checkpoint " +
            "with tidegate.adopt or spark.tidegate.adoptCheckpoint=true, or start it with a new " +
            "checkpoint. SQLSTATE: 55000"
        )
      )
    )
    withConf("spark.tidegate.adoptCheckpoint" -> "true")(assert(found.isCompatible))
    assert(!Files.exists(run.checkpoint.resolve("offsets.spark")))
  }

  cell("a wrong plan", hourly, in => keyed(in).groupBy("sub").count())(
    ("query", Refused, "[")
  )
}
