package tidegate
package sources

import java.util

import scala.collection.concurrent.TrieMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset => OffsetV2,
  ReadLimit,
  SupportsAdmissionControl
}
import org.apache.spark.sql.execution.streaming.{Offset => OffsetV1, Source}
import org.apache.spark.sql.sources.StreamSourceProvider
import org.apache.spark.sql.tidegate.TestQueries
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, SQLContext, SparkSession}
import org.apache.spark.unsafe.types.UTF8String
import tidegate.SparkClasses.LongOffset

/** Events in memory, behind each kind of source that Spark has. */
final class EventLog {
  private val name = java.util.UUID.randomUUID.toString
  @volatile private var events = Vector.empty[Event]

  EventLog.all(name) = this

  def send(more: Event*): Unit = events ++= more

  def size: Long = events.size.toLong

  def slice(from: Long, until: Long): Seq[Event] = events.slice(from.toInt, until.toInt)

  def toDF(spark: SparkSession, kind: SourceKind): DataFrame = spark.readStream
    .format((if (kind.isV1) classOf[EventLogV1] else classOf[EventLogV2]).getName)
    .options(Map("log" -> name, "kind" -> kind.name))
    .load()
}

object EventLog {
  val all: TrieMap[String, EventLog] = TrieMap.empty
}

/**
 * A kind of source.
 *
 * @param limit
 *   of a batch; none if the source cannot limit its batches
 * @param reports
 *   whether the source says how far it could be read
 */
final case class SourceKind(
    name: String,
    isV1: Boolean,
    limit: Option[ReadLimit] = None,
    reports: Boolean = false
) {

  /** Up to where a batch reads. */
  def end(start: Long, size: Long): Long = limit match {
    case None => size
    // Keeps fewer rows to itself.
    case Some(l) if l == SourceKind.AtLeastTwo => if (size - start < 2) start else size
    case Some(_)                               => math.min(start + SourceKind.Most, size)
  }
}

object SourceKind {
  private val Most = 2L
  private val rows = Some(ReadLimit.maxRows(Most))
  val AtLeastTwo: ReadLimit = ReadLimit.minRows(2, Long.MaxValue / 2)

  val known: Seq[SourceKind] = Seq(
    SourceKind("V1", isV1 = true),
    SourceKind("V1, limited by rows", isV1 = true, rows),
    SourceKind("V1, limited by rows, which reports", isV1 = true, rows, reports = true),
    SourceKind("V2", isV1 = false),
    SourceKind("V2, limited by rows", isV1 = false, rows),
    SourceKind("V2, limited by rows, which reports", isV1 = false, rows, reports = true),
    SourceKind(
      "V2, which waits for two rows, and reports",
      isV1 = false,
      Some(AtLeastTwo),
      reports = true
    )
  )

  /** Sources of which it cannot be known whether they keep rows to themselves. */
  val unknown: Seq[SourceKind] = Seq(
    SourceKind("V1, which waits for two rows", isV1 = true, Some(AtLeastTwo)),
    SourceKind("V2, which waits for two rows", isV1 = false, Some(AtLeastTwo))
  )

  def named(name: String): SourceKind = (known ++ unknown).find(_.name == name).get
}

/** Sources of Spark's first interface. */
final class EventLogV1 extends StreamSourceProvider {
  override def sourceSchema(
      context: SQLContext,
      schema: Option[StructType],
      name: String,
      parameters: Map[String, String]
  ): (String, StructType) = "event log" -> KeyedStreamTest.eventEncoder.schema

  override def createSource(
      context: SQLContext,
      metadataPath: String,
      schema: Option[StructType],
      name: String,
      parameters: Map[String, String]
  ): Source = {
    val (log, kind) = (EventLog.all(parameters("log")), SourceKind.named(parameters("kind")))
    if (kind.limit.isEmpty) new EventLogV1.All(log) else new EventLogV1.Limited(log, kind)
  }
}

object EventLogV1 {
  private def number(offset: Any): Long = offset match {
    case o: OffsetV2 => o.json.toLong
    case _           => 0L
  }

  class All(log: EventLog) extends Source {
    override def schema: StructType = KeyedStreamTest.eventEncoder.schema
    override def getOffset: Option[OffsetV1] =
      Some(LongOffset(log.size)).filter(_.offset > 0)
    override def getBatch(
        start: Option[OffsetV1],
        end: OffsetV1
    ): DataFrame =
      TestQueries.batch(
        SparkSession.active,
        log.slice(start.fold(0L)(number), number(end)).map(EventLogV2.row),
        schema
      )
    override def stop(): Unit = ()
  }

  final class Limited(log: EventLog, kind: SourceKind)
      extends All(log)
      with SupportsAdmissionControl {
    override def getOffset: Option[OffsetV1] =
      throw new UnsupportedOperationException
    override def getDefaultReadLimit: ReadLimit = kind.limit.get
    override def latestOffset(start: OffsetV2, limit: ReadLimit): OffsetV2 =
      LongOffset(kind.end(number(start), log.size))
    override def reportLatestOffset(): OffsetV2 = if (kind.reports) LongOffset(log.size) else null
  }
}

/** Sources of Spark's second interface. */
final class EventLogV2 extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    KeyedStreamTest.eventEncoder.schema

  override def getTable(
      structure: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = new StreamTable("event log", structure)({ options =>
    val log = EventLog.all(options.get("log"))
    val kind = SourceKind.named(options.get("kind"))
    if (kind.limit.isEmpty) new EventLogV2.All(log) else new EventLogV2.Limited(log, kind)
  })
}

object EventLogV2 {
  private final case class Rows(rows: Array[InternalRow]) extends InputPartition

  def row(e: Event): InternalRow =
    InternalRow(UTF8String.fromString(e.sub), e.time.getTime * 1000, e.n)

  class All(log: EventLog) extends MicroBatchStream {
    override def initialOffset(): OffsetV2 = LongOffset(0)
    override def latestOffset(): OffsetV2 = LongOffset(log.size)
    override def deserializeOffset(json: String): OffsetV2 = LongOffset(json.toLong)
    override def planInputPartitions(start: OffsetV2, end: OffsetV2): Array[InputPartition] =
      Array(Rows(log.slice(number(start), number(end)).map(row).toArray))
    override def createReaderFactory(): PartitionReaderFactory = Readers
    override def commit(end: OffsetV2): Unit = ()
    override def stop(): Unit = ()
    protected def number(offset: OffsetV2): Long = offset.json.toLong
  }

  final class Limited(log: EventLog, kind: SourceKind)
      extends All(log)
      with SupportsAdmissionControl {
    override def latestOffset(): OffsetV2 = throw new UnsupportedOperationException
    override def getDefaultReadLimit: ReadLimit = kind.limit.get
    override def latestOffset(start: OffsetV2, limit: ReadLimit): OffsetV2 =
      LongOffset(kind.end(number(start), log.size))
    override def reportLatestOffset(): OffsetV2 = if (kind.reports) LongOffset(log.size) else null
  }

  private object Readers extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
      new RowsReader(partition.asInstanceOf[Rows].rows.iterator)
  }
}
