package tidegate.bench.page

import java.net.{HttpURLConnection, URI}
import java.nio.file.Files

import scala.util.Using

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{Encoders, SparkSession}
import tidegate._
import tidegate.bench.{BenchSession, Pairs, Took}

/**
 * Measures what it costs a query that somebody looks at its page in Spark's UI, which fetches
 * itself every 5 seconds: with few substreams, and with 10,000.
 */
object PageBenchmark {
  private val RowsOfBatch = 20000L
  private val Rounds = 6

  /** Long enough for several fetches. */
  private val SecondsOfRound = 20
  private val RefreshMs = 5000L

  def main(args: Array[String]): Unit = {
    val ui = Seq("spark.ui.enabled" -> "true", "spark.ui.port" -> "0")
    BenchSession.use(ui: _*) { spark =>
      Seq(10, 10000).foreach(run(spark, _))
    }
  }

  private def run(spark: SparkSession, substreams: Int): Unit = {
    val folder = Files.createTempDirectory("bench-page")
    val in = MemoryStream[Long](Encoders.scalaLong, spark)
    val query = in
      .toDF()
      .select(
        (col("value") % substreams).as("device"),
        timestamp_millis(col("value") * 10).as("time")
      )
      .withKeyedWatermark("time", "1 second", substream = Seq("device"))
      .groupBy(window(col("time"), "1 minute"))
      .count()
      .writeStream
      .format("noop")
      .option("checkpointLocation", folder.resolve("checkpoint").toString)
      .start()
    try {
      var next = 0L
      def batch(): Unit = {
        in.addData(next until next + RowsOfBatch)
        next += RowsOfBatch
        query.processAllAvailable()
      }
      // Seconds for each batch, over batches that take as long as a round.
      def round(): Took = {
        var batches = 0
        val all = Pairs.took {
          val end = System.nanoTime + SecondsOfRound * 1000000000L
          while (System.nanoTime < end) {
            batch()
            batches += 1
          }
        }
        Took(all.wall / batches, all.cpu / batches)
      }
      round()
      val pairs = (1 to Rounds).map { i =>
        def open() = Using.resource(new OpenPage(address(spark, query), RefreshMs))(_ => round())
        if (i % 2 == 0) (round(), open())
        else {
          val opened = open()
          (round(), opened)
        }
      }
      report(substreams, pairs, fetches(spark, query))
    } finally {
      query.stop()
      FileUtils.deleteQuietly(folder.toFile)
      ()
    }
  }

  private def address(spark: SparkSession, query: StreamingQuery): URI =
    URI.create(s"${spark.sparkContext.uiWebUrl.get}/EventTime/query/?run=${query.runId}")

  /** How long it takes to fetch the page, in ms, and its size in bytes; while no batch runs. */
  private def fetches(spark: SparkSession, query: StreamingQuery): Seq[(Double, Int)] = {
    val at = address(spark, query)
    Seq.fill(20) {
      val begin = System.nanoTime
      val bytes = OpenPage.fetch(at)
      ((System.nanoTime - begin) / 1e6, bytes)
    }
  }

  private def report(
      substreams: Int,
      pairs: Seq[(Took, Took)],
      fetches: Seq[(Double, Int)]
  ): Unit = {
    val (closed, open) = pairs.unzip
    def ms(of: Seq[Double]) = f"${of.min * 1000}%.0f / ${Pairs.median(of) * 1000}%.0f ms"
    println(
      f"$substreams%,d substreams, page closed: a batch takes min / median ${ms(closed.map(_.wall))}, " +
        s"of the processor ${ms(closed.map(_.cpu))}; open ${ms(open.map(_.wall))} and " +
        s"${ms(open.map(_.cpu))}. Open to closed: ${Pairs.ratios(closed, open)}. A fetch takes " +
        f"${fetches.map(_._1).min}%.0f / ${Pairs.median(fetches.map(_._1))}%.0f ms for " +
        f"${fetches.last._2 / 1024}%,d KiB"
    )
  }
}

/** Somebody who has the page open. */
private final class OpenPage(at: URI, everyMs: Long) extends AutoCloseable {
  private val thread = new Thread(() =>
    try
      while (true) {
        OpenPage.fetch(at)
        Thread.sleep(everyMs)
      }
    catch { case _: InterruptedException => () }
  )
  thread.start()

  override def close(): Unit = {
    thread.interrupt()
    thread.join()
  }
}

private object OpenPage {

  /** Fetches the page, and returns its size in bytes. */
  def fetch(at: URI): Int = {
    val connection = at.toURL.openConnection().asInstanceOf[HttpURLConnection]
    Using.resource(connection.getInputStream)(_.readAllBytes().length)
  }
}
