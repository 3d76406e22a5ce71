package tidegate
package faults

import java.nio.file.{Files, Path}
import java.time.Instant
import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.unsafe.types.UTF8String
import org.json4s._
import org.json4s.jackson.JsonMethods.parse

/**
 * The files of `EventFiles` as a source whose batches are always the same: file `n` is batch `n`.
 * Spark's own source of files takes more files if it is killed before the offset is written.
 */
final class NumberedFiles extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    KeyedStreamTest.eventEncoder.schema

  override def getTable(
      structure: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = new StreamTable("numbered files", structure)(options =>
    new NumberedFiles.Stream(Path.of(options.get("folder")))
  )
}

object NumberedFiles {

  def stream(spark: SparkSession, folder: Path): DataFrame =
    spark.readStream.format(classOf[NumberedFiles].getName).option("folder", folder.toString).load()

  /** The number of the last file; -1 before the first. */
  private final case class LastFile(number: Int) extends Offset {
    override def json: String = s"""{"logOffset":$number}"""
  }

  private final case class File(path: String) extends InputPartition

  final class Stream(folder: Path) extends MicroBatchStream with SupportsAdmissionControl {
    private val paths = Files.list(folder).iterator.asScala.map(_.toString).toVector.sorted

    override def initialOffset(): Offset = LastFile(-1)
    override def latestOffset(): Offset = LastFile(paths.size - 1)
    override def reportLatestOffset(): Offset = latestOffset()
    override def latestOffset(start: Offset, limit: ReadLimit): Offset =
      LastFile(math.min(number(start) + 1, paths.size - 1))
    override def deserializeOffset(json: String): Offset =
      LastFile(json.filter(c => c.isDigit || c == '-').toInt)
    override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
      (number(start) + 1 to number(end)).map(i => File(paths(i))).toArray
    override def createReaderFactory(): PartitionReaderFactory = Readers
    override def commit(end: Offset): Unit = ()
    override def stop(): Unit = ()

    private def number(offset: Offset): Int = offset.asInstanceOf[LastFile].number
  }

  private object Readers extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
      val lines = Files.readAllLines(Path.of(partition.asInstanceOf[File].path))
      new RowsReader(lines.iterator.asScala.map(row))
    }
  }

  private def row(line: String): InternalRow = parse(line) match {
    case JObject(List(("sub", JString(sub)), ("time", JString(time)), ("n", JInt(n)))) =>
      InternalRow(UTF8String.fromString(sub), Instant.parse(time).toEpochMilli * 1000, n.toInt)
    case other => throw new IllegalStateException(s"no event: $other")
  }
}
