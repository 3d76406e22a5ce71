package tidegate

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Events in a folder of JSON files, which a query reads by their number. */
object EventFiles {
  private val schema: StructType = KeyedStreamTest.eventEncoder.schema

  /** A new folder, with one file for every batch. */
  def of(batches: Seq[Event]*): Path = {
    val folder = TempFolders.create("files")
    batches.zipWithIndex.foreach { case (events, i) => add(folder, i, events) }
    folder
  }

  /** One more file. */
  def add(folder: Path, i: Int, events: Seq[Event]): Unit = {
    val lines = events.map { e =>
      s"""{"sub":"${e.sub}","time":"${e.time.toInstant}","n":${e.n}}"""
    }
    addLines(folder, i, lines)
  }

  /** As `add`, of rows in JSON. */
  def addLines(folder: Path, i: Int, lines: Seq[String]): Unit = {
    // Written aside, so that a running query never finds half a file.
    val file = Files.createTempFile("tidegate", ".json")
    Files.write(file, lines.mkString("\n").getBytes)
    Files.setLastModifiedTime(file, FileTime.fromMillis(1000000000000L + i * 1000L))
    Files.move(file, folder.resolve(f"$i%04d.json"))
    ()
  }

  def stream(spark: SparkSession, folder: Path, filesPerBatch: Int = 1): DataFrame =
    spark.readStream
      .schema(schema)
      .option("maxFilesPerTrigger", filesPerBatch.toLong)
      .json(folder.toString)

  /** With columns that are NOT NULL: those of files may be null, whatever their schema says. */
  def withoutNulls(events: DataFrame): DataFrame = events
    .withColumn("time", coalesce(col("time"), timestamp_seconds(lit(0))))
    .withColumn("n", coalesce(col("n"), lit(0)))

  /** The same events as a table, for the batch result. */
  def table(spark: SparkSession, folder: Path): DataFrame =
    spark.read.schema(schema).json(folder.toString)
}
