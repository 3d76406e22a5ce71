package tidegate.kafka

import java.lang.management.ManagementFactory
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
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
  private val output = Files.createDirectory(folder.resolve("output"))
  private var process: Option[Process] = None
  private var prepared: Option[Process] = None

  /** Starts Spark for the next time; it takes longer than the query. */
  def prepare(): Unit = prepared = Some(launch())

  def start(): Unit = {
    process = prepared.orElse(Some(launch()))
    prepared = None
    process.foreach(p => Using.resource(p.getOutputStream)(_.write(KilledQuery.Go)))
  }

  private def launch(): Process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
    // The last -Xmx counts.
    val command =
      Seq(java) ++ options ++ Seq("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1") ++
        Seq(KilledQuery.getClass.getName.stripSuffix("$"), address, topic, folder.toString)
    val builder = new ProcessBuilder(command.asJava)
      .redirectErrorStream(true)
      .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile))
    builder.environment().put("CLASSPATH", sys.props("java.class.path"))
    builder.start()
  }

  def kill(): Unit = {
    process.foreach(_.destroyForcibly().waitFor())
    process = None
  }

  def close(): Unit = {
    kill()
    prepared.foreach(_.destroyForcibly().waitFor())
    FileUtils.deleteDirectory(folder.toFile)
  }

  /** How many batches have put out what they have. */
  def batches: Int = files.size

  /** All windows, sorted. */
  def windows: Seq[String] = files.flatMap(Files.readAllLines(_).asScala).sorted

  /** What it has said, if it has ended by itself. */
  def failure: Option[String] = process.filterNot(_.isAlive).map(_ => Files.readString(log))

  private def files: Seq[Path] =
    Using.resource(Files.list(output))(_.iterator.asScala.toSeq)
}

object KilledQuery {
  private val Go = 1

  def main(args: Array[String]): Unit = {
    val (address, topic, folder) = (args(0), args(1), Path.of(args(2)))
    val spark = KeyedStreamTest.session
    if (System.in.read() == Go) run(spark, address, topic, folder)
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
      .foreachBatch((batch: DataFrame, id: Long) => write(batch.collect().toSeq, id, folder))
      .start()
      .awaitTermination()
  }

  /** A batch that is run again replaces its file. */
  private def write(rows: Seq[Row], batch: Long, folder: Path): Unit = {
    val half = folder.resolve("half")
    Files.write(half, rows.map(KeyedStreamTest.text).asJava)
    Files.move(
      half,
      folder.resolve("output").resolve(batch.toString),
      ATOMIC_MOVE,
      REPLACE_EXISTING
    )
    ()
  }
}
