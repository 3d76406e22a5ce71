package tidegate
package snapshot

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** What `checkCompatibility` says of watermarks with other arguments. */
class ChangedWatermarksVerdictSuite extends CompatibilityTest {
  import Verdict._

  private def counted(in: DataFrame): DataFrame = windows("10 seconds")(in)

  private def watermark(
      policy: PolicySpec = fixedLag("5 seconds"),
      emission: EmissionSpec = null,
      idleTimeout: String = "60 seconds",
      idleBehind: String = null,
      maxFutureSkew: String = null,
      flush: Boolean = false
  )(in: DataFrame): DataFrame = counted(
    in.withKeyedWatermark(
      "time",
      policy = policy,
      substream = Seq("sub"),
      name = "orders",
      emission = emission,
      idleTimeout = idleTimeout,
      idleBehind = idleBehind,
      maxFutureSkew = maxFutureSkew,
      flush = flush
    )
  )

  private def ingested(in: DataFrame): DataFrame = counted(
    in.withColumn("appended", col("time"))
      .withIngestionWatermark(
        "time",
        "5 seconds",
        ingestionTime = "appended",
        substream = Seq("sub"),
        name = "orders"
      )
  )

  private val lag = "the lag, or another duration of the policy"

  cell(lag, "another lag", hourly, in => counted(keyed(in, lag = "9 seconds")))(
    ("orders", GoesOn, "the checkpoint was made with the policy fixedLag(5000 ms), and the query"),
    ("aggregate", GoesOn, "")
  )

  cell(
    lag,
    "another lull",
    watermark(limitingLagAndLull("5 seconds", "9 seconds")),
    watermark(limitingLagAndLull("5 seconds", "20 seconds"))
  )(
    (
      "orders",
      GoesOn,
      "the checkpoint was made with the policy limitingLagAndLull(5000 ms, 9000 ms), and the " +
        "query now has limitingLagAndLull(5000 ms, 20000 ms)."
    )
  )

  cell(
    "the policy",
    "another policy",
    hourly,
    watermark(limitingLagAndLull("5 seconds", "9 seconds"))
  )(("orders", GoesOn, "the checkpoint was made with the policy fixedLag"))

  private val times = "from event times to ingestion time, or back"

  cell(times, "from event times to ingestion time", hourly, ingested)(
    ("orders", GoesOn, "the checkpoint was made with the policy fixedLag(5000 ms)"),
    ("aggregate", GoesOn, "")
  )

  cell(times, "from ingestion time to event times", ingested, hourly)(
    ("orders", GoesOn, "the checkpoint was made with the policy ingestionTime"),
    ("aggregate", GoesOn, "")
  )

  cell("`emission`", "an emission", hourly, watermark(emission = byFrame("10 seconds")))(
    ("orders", GoesOn, ""),
    ("aggregate", GoesOn, "")
  )

  private val idle = "`idleTimeout`, `idleBehind`"

  cell(idle, "an idle timeout", hourly, watermark(idleTimeout = "1 second"))(("orders", GoesOn, ""))

  cell(idle, "idle behind", hourly, watermark(idleBehind = "1 hour"))(("orders", GoesOn, ""))

  cell(
    "`substream`",
    "other substreams",
    hourly,
    in => counted(keyed(in, substream = Nil))
  )(("orders", GoesOn, "the checkpoint was made with the substream columns sub STRING"))

  private val skew = "`maxFutureSkew`, `flush`"

  cell(skew, "a limit of the future", hourly, watermark(maxFutureSkew = "1 hour"))(
    ("orders", GoesOn, "")
  )

  cell(skew, "a flush", hourly, watermark(flush = true))(("orders", GoesOn, ""))

  cell("`name`", "another name", hourly, in => counted(keyed(in, name = "events")))(
    ("events", BeginsEmpty, "A new watermark"),
    ("orders", Removed, ""),
    ("aggregate", GoesOn, "")
  )

  private def union(names: String*)(streams: Seq[DataFrame]): DataFrame =
    counted(streams.zip(names).map { case (in, name) => keyed(in, name = name) }.reduce(_ union _))

  cellOfTwo(
    "the order of the streams",
    "streams that change their places",
    union("l", "r"),
    streams => union("r", "l")(streams.reverse)
  )(("query", Refused, "[TIDEGATE_STREAMS_MOVED]"), ("r", Refused, "[TIDEGATE_STREAMS_MOVED]"))

  checkTable("Changed watermarks")
}
