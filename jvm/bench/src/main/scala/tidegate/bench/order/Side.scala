package tidegate.bench.order

import java.nio.file.{Files, Path}
import java.sql.Timestamp

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Row}
import tidegate._

/** One way to order a stream: the rows of each key by their time. */
private[order] sealed abstract class Side(val name: String) {

  /** Runs the query to its end; `release` gets the rows that leave in each batch, in order. */
  def run(arrivals: Arrivals, work: Path)(release: DataFrame => Unit): StreamingQuery

  protected def toTheEnd(rows: DataStreamWriter[Row], work: Path): StreamingQuery = {
    val query = rows
      .outputMode("append")
      .trigger(Trigger.AvailableNow())
      .option("checkpointLocation", work.resolve("checkpoint").toString)
      .start()
    query.awaitTermination()
    query
  }
}

private[order] object Side {

  val all: Seq[Side] = Seq(ByHand, Tidegate)

  /** Event-time order on a keyed watermark. */
  case object Tidegate extends Side("tidegate") {
    override def run(arrivals: Arrivals, work: Path)(release: DataFrame => Unit): StreamingQuery = {
      val ordered = arrivals
        .read()
        .withKeyedWatermark("rt", arrivals.shape.lag, idleTimeout = null)
        .orderByEventTime(Seq("key"))
      toTheEnd(ordered.writeStream.foreachBatch((rows: DataFrame, _: Long) => release(rows)), work)
    }
  }

  /**
   * What users write today: waiting rows are in Parquet files; each batch reads the last files and
   * writes new ones. The watermark is in a variable: unlike on the other side, it would not survive
   * a restart.
   */
  case object ByHand extends Side("foreachBatch") {
    override def run(arrivals: Arrivals, work: Path)(release: DataFrame => Unit): StreamingQuery = {
      var waiting: Option[Path] = None
      var newest = new Timestamp(0)

      def step(batch: DataFrame, id: Long): Unit = {
        batch.persist()
        val top = batch.agg(max("rt")).head().getTimestamp(0)
        if (top != null && top.after(newest)) newest = top
        val passed = col("rt") < lit(newest) - expr(s"INTERVAL ${arrivals.shape.lag}")
        val held = waiting.map(folder => batch.sparkSession.read.parquet(folder.toString))
        val rows = held.fold(batch)(_.union(batch))
        release(rows.where(passed).repartition(col("key")).sortWithinPartitions("rt"))
        val rest = work.resolve(s"waiting-$id")
        rows.where(!passed).write.mode("overwrite").parquet(rest.toString)
        waiting.foreach(folder => FileUtils.deleteDirectory(folder.toFile))
        waiting = Some(rest)
        batch.unpersist()
        ()
      }

      Files.createDirectories(work)
      toTheEnd(arrivals.read().writeStream.foreachBatch(step _), work)
    }
  }
}
