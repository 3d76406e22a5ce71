package tidegate
package sources

import java.sql.Timestamp
import java.util

import scala.collection.concurrent.TrieMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.types.{IntegerType, StringType, StructType, TimestampType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.unsafe.types.UTF8String
import org.json4s.JsonAST.{JField, JInt, JObject}
import org.json4s.jackson.JsonMethods.{compact, parse}

/**
 * A topic in memory, with the columns and the offsets of Kafka's source: `topic`, `partition`,
 * `time` and `n`. Tests decide how many rows of a partition a batch may read.
 */
final class PartitionedLog(topic: String = "t") {
  private val name = java.util.UUID.randomUUID.toString
  private val rows = TrieMap.empty[Int, Vector[(Timestamp, Int)]]

  /** The most rows of a partition in a batch. */
  @volatile var limit: Int => Long = _ => Long.MaxValue

  /** Called when a run that ends by itself has decided what it will read. */
  @volatile var prepared: () => Unit = () => ()

  PartitionedLog.all(name) = this

  def send(partition: Int, events: (Timestamp, Int)*): Unit =
    rows(partition) = rows.getOrElse(partition, Vector.empty) ++ events

  /** As a topic that is deleted, one partition of it. */
  def delete(partition: Int): Unit = { val _ = rows.remove(partition) }

  def latest: Map[Int, Long] = rows.map { case (p, sent) => p -> sent.size.toLong }.toMap

  def limited(start: Map[Int, Long]): Map[Int, Long] = latest.map { case (p, end) =>
    val from = start.getOrElse(p, 0L)
    p -> (if (end - from > limit(p)) from + limit(p) else end)
  }

  def read(partition: Int, from: Long, until: Long): Seq[InternalRow] =
    rows(partition).slice(from.toInt, until.toInt).map { case (time, n) =>
      val micros = Option(time).map(t => t.getTime * 1000)
      InternalRow(UTF8String.fromString(topic), partition, micros.getOrElse(null), n)
    }

  def offset(ends: Map[Int, Long]): PartitionedLog.Ends = PartitionedLog.Ends(topic, ends)

  /** As a table of another name, it may be taken for Kafka's. */
  def toDF(spark: SparkSession, table: String = "partitioned"): DataFrame =
    spark.readStream
      .format(classOf[PartitionedProvider].getName)
      .option("log", name)
      .option("table", table)
      .load()
}

object PartitionedLog {
  val all: TrieMap[String, PartitionedLog] = TrieMap.empty

  final case class Ends(topic: String, ends: Map[Int, Long]) extends Offset {
    override def json: String = {
      val fields = ends.toList.sorted.map { case (p, end) => JField(p.toString, JInt(end)) }
      compact(JObject(topic -> JObject(fields)))
    }
  }

  def parsed(json: String): Ends = parse(json) match {
    case JObject(List((topic, JObject(parts)))) =>
      Ends(topic, parts.collect { case (p, JInt(end)) => p.toInt -> end.toLong }.toMap)
    case other => throw new IllegalStateException(s"no offset: $other")
  }

  final case class Slice(log: String, partition: Int, from: Long, until: Long)
      extends InputPartition

  object Readers extends PartitionReaderFactory {
    override def createReader(slice: InputPartition): PartitionReader[InternalRow] = {
      val Slice(log, partition, from, until) = slice.asInstanceOf[Slice]
      new RowsReader(all(log).read(partition, from, until).iterator)
    }
  }
}

final class PartitionedProvider extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType()
    .add("topic", StringType)
    .add("partition", IntegerType)
    .add("time", TimestampType)
    .add("n", IntegerType)
  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = new StreamTable(properties.get("table"), schema)(options =>
    new PartitionedStream(options.get("log"))
  )
}

final class PartitionedStream(name: String)
    extends MicroBatchStream
    with SupportsTriggerAvailableNow {
  import PartitionedLog._

  private val log = all(name)
  private var fixed = Option.empty[Map[Int, Long]]
  private var reported: Offset = _

  override def prepareForTriggerAvailableNow(): Unit = {
    fixed = Some(log.latest)
    log.prepared()
  }
  override def initialOffset(): Offset = log.offset(Map.empty)
  override def deserializeOffset(json: String): Offset = parsed(json)
  override def getDefaultReadLimit: ReadLimit = ReadLimit.maxRows(1)
  override def latestOffset(): Offset = throw new UnsupportedOperationException
  override def reportLatestOffset(): Offset = reported
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    reported = log.offset(fixed.getOrElse(log.latest))
    val ends = log.limited(start.asInstanceOf[Ends].ends)
    log.offset(
      fixed.fold(ends)(f => ends.collect { case (p, e) if f.contains(p) => p -> e.min(f(p)) })
    )
  }
  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
    val from = start.asInstanceOf[Ends].ends
    end.asInstanceOf[Ends].ends.toArray.sorted.map { case (p, until) =>
      Slice(name, p, from.getOrElse(p, 0L), until)
    }
  }
  override def createReaderFactory(): PartitionReaderFactory = Readers
  override def commit(end: Offset): Unit = ()
  override def stop(): Unit = ()
}
