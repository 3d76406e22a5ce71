package tidegate.kafka

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.SparkSession
import tidegate._

/**
 * A query in a process of its own, to be killed: the windows of a topic, a file for each batch.
 *
 * @param address
 *   of the broker
 */
final class KilledQuery(address: String, topic: String) {
  private val folder = Files.createTempDirectory("tidegate-killed")
  private val log = folder.resolve("log")
  private val output = new BatchFiles(Files.createDirectory(folder.resolve("output")))
  private var process: Option[ChildJvm] = None
  private var prepared: Option[ChildJvm] = None

  /** Starts Spark for the next time; it takes longer than the query. */
  def prepare(): Unit = prepared = Some(launch())

  def start(): Unit = {
    process = prepared.orElse(Some(launch()))
    prepared = None
    process.foreach(_.start())
  }

  private def launch(): ChildJvm =
    new ChildJvm(KilledQuery, Seq(address, topic, folder.toString), log)

  def kill(): Unit = {
    process.foreach(_.kill())
    process = None
  }

  def close(): Unit = {
    kill()
    prepared.foreach(_.kill())
    FileUtils.deleteDirectory(folder.toFile)
  }

  /** How many batches have put out what they have. */
  def batches: Int = output.size

  /** All windows, sorted. */
  def windows: Seq[String] = output.rows

  /** What it has said, if it has ended by itself. */
  def failure: Option[String] = process.flatMap(_.failure)
}

object KilledQuery {
  def main(args: Array[String]): Unit = {
    val (address, topic, folder) = (args(0), args(1), Path.of(args(2)))
    val spark = KeyedStreamTest.session
    if (ChildJvm.awaitStart()) run(spark, address, topic, folder)
  }

  private def run(spark: SparkSession, address: String, topic: String, folder: Path): Unit = {
    val rows = spark.readStream
      .format("kafka")
      .options(KafkaTest.source(address, topic) + SkewedTopic.limit)
      .load()
      .withColumnRenamed("timestamp", "time")
    KafkaTest
      .counts(KafkaTest.keyed(rows, idleTimeout = null))
      .writeStream
      .option("checkpointLocation", folder.resolve("checkpoint").toString)
      .foreachBatch(new BatchFiles(folder.resolve("output")).write(_, _))
      .start()
      .awaitTermination()
  }
}
