package tidegate.bench.held

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import tidegate._

/**
 * A query that holds one entry or more for each key.
 *
 * @param isSpread
 *   whether the times of the rows that are held are spread, so that a part of the rows leaves in
 *   each batch; Flink does not take part, because its rows leave at other moments
 */
private[held] sealed abstract class HeldQuery(
    val name: String,
    val streams: Seq[String],
    val isSpread: Boolean = false
) {

  /** The query over its streams, in order, each with a watermark on `rt`. */
  def over(streams: Seq[DataFrame]): DataFrame

  /** A stream with the watermark of one of the sides. */
  def watermarked(side: String, rows: DataFrame, key: Int): DataFrame = side match {
    case "spark"    => rows.withWatermark("rt", lag)
    case "tidegate" => rows.withKeyedWatermark("rt", lag, key = key)
  }

  protected def lag: String = "2 seconds"
}

private[held] object HeldQuery {

  private sealed abstract class Counted(name: String) extends HeldQuery(name, Seq("bids")) {
    override def over(streams: Seq[DataFrame]): DataFrame =
      streams.head.groupBy(windows, col("key")).agg(count(lit(1)), sum("price"))

    protected def windows: Column
  }

  private object Tumbling extends Counted("tumbling") {
    override protected def windows: Column = window(col("rt"), "1 hour")
  }

  private object Hop extends Counted("hop") {
    override protected def windows: Column = window(col("rt"), "1 hour", "20 minutes")
  }

  private object Session extends Counted("session") {
    override protected def windows: Column = session_window(col("rt"), "30 minutes")
  }

  private object Join extends HeldQuery("join", Seq("orders", "deliveries")) {
    override def over(streams: Seq[DataFrame]): DataFrame = {
      val within = expr("d.rt BETWEEN o.rt AND o.rt + INTERVAL 1 HOUR")
      streams.head
        .as("o")
        .join(streams.last.as("d"), col("o.key") === col("d.key") && within)
        .select("o.key", "o.rt", "d.rt")
    }
  }

  private object Dedup extends HeldQuery("dedup", Seq("bids")) {
    override def over(streams: Seq[DataFrame]): DataFrame =
      streams.head.dropDuplicatesWithinWatermark("key")

    /** The state holds a key until the watermark is later than its row by this lag. */
    override protected def lag: String = "1 hour"
  }

  val All: Seq[HeldQuery] = Seq(Tumbling, Hop, Session, Join, Dedup)

  /**
   * A query over rows that are held for five minutes, of which a thirtieth leaves in each batch.
   */
  private sealed abstract class Leaving(name: String, streams: String*)
      extends HeldQuery(name, streams, isSpread = true) {

    override protected def lag: String = "5 minutes"
  }

  private sealed abstract class CountedLeaving(name: String, windows: Column)
      extends Leaving(name, "bids") {
    override def over(streams: Seq[DataFrame]): DataFrame =
      streams.head.groupBy(windows, col("key")).agg(count(lit(1)), sum("price"))
  }

  private object TumblingDue extends CountedLeaving("tumbling-due", window(col("rt"), "10 seconds"))

  private object HopDue
      extends CountedLeaving("hop-due", window(col("rt"), "10 seconds", "5 seconds"))

  private object SessionDue
      extends CountedLeaving("session-due", session_window(col("rt"), "5 seconds"))

  private object JoinDue extends Leaving("join-due", "orders", "deliveries") {
    override def over(streams: Seq[DataFrame]): DataFrame = {
      val within = expr("d.rt BETWEEN o.rt AND o.rt + INTERVAL 5 SECONDS")
      streams.head
        .as("o")
        .join(streams.last.as("d"), col("o.key") === col("d.key") && within)
        .select("o.key", "o.rt", "d.rt")
    }
  }

  /** Twenty keys have all rows. A row has few partners, so that the join does not emit millions. */
  private object JoinHot extends Leaving("join-hot", "orders", "deliveries") {
    override def over(streams: Seq[DataFrame]): DataFrame = {
      val within = expr("d.rt BETWEEN o.rt AND o.rt + INTERVAL 10 MILLISECONDS")
      def hot(stream: DataFrame) = stream.withColumn("key", col("key") % 20)
      hot(streams.head)
        .as("o")
        .join(hot(streams.last).as("d"), col("o.key") === col("d.key") && within)
        .select("o.key", "o.rt", "d.rt")
    }
  }

  private object DedupDue extends Leaving("dedup-due", "bids") {
    override def over(streams: Seq[DataFrame]): DataFrame =
      streams.head.dropDuplicates("key", "rt")
  }

  /** Holds a version of each key; Spark has no such join of streams. */
  private object AsOf extends HeldQuery("as-of", Seq("orders", "rates")) {
    override def over(streams: Seq[DataFrame]): DataFrame = {
      val changes = streams.head.where(unix_millis(col("rt")) >= HeldRows.ChangesFromMs)
      changes
        .asOfJoin(streams.last.toDF("since", "key", "rate"), Seq("key"), how = "left")
        .select("key", "rt", "rate")
    }
  }

  /** Holds the rows of each key of an hour; Spark has no such functions over streams. */
  private object Over extends HeldQuery("over", Seq("bids")) {
    override def over(streams: Seq[DataFrame]): DataFrame = streams.head.selectExpr(
      "key",
      "rt",
      "sum(price) OVER (PARTITION BY key ORDER BY rt RANGE INTERVAL 1 HOUR PRECEDING) AS spent"
    )
  }

  /** Those that are run only if they are named. */
  val Due: Seq[HeldQuery] =
    Seq(AsOf, Over, TumblingDue, HopDue, SessionDue, JoinDue, JoinHot, DedupDue)
}
