package tidegate.testing

import java.util
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.connector.read.{
  InputPartition,
  PartitionReader,
  PartitionReaderFactory,
  Scan,
  ScanBuilder
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A stream that is fed by a test. The rows stay, so a query that is restarted, or set back, reads
 * them from where its checkpoint is; several queries may read them.
 */
private[testing] final class FedInput(val name: String, override val schema: StructType)
    extends Table
    with SupportsRead {
  private val convert = CatalystTypeConverters.createToCatalystConverter(schema)
  private val feeds = mutable.ArrayBuffer.empty[Array[InternalRow]]

  def add(rows: Seq[Row]): Unit = synchronized {
    val _ = feeds += rows.map(convert(_).asInstanceOf[InternalRow]).toArray
  }

  def size: Int = synchronized(feeds.size)

  def between(start: Int, end: Int): Seq[Array[InternalRow]] = synchronized {
    feeds.slice(start, end).toSeq
  }

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.MICRO_BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
    new Scan {
      override def readSchema(): StructType = schema
      override def description(): String = name
      override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
        new FedStream(FedInput.this)
    }
}

/** Finds the input that an option names; Spark makes this class by its name. */
final class FedSource extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = input(options).schema

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = input(properties)

  private def input(options: util.Map[String, String]): FedInput =
    FedSource.inputs.get(options.get(FedSource.Id))
}

private[testing] object FedSource {
  val Id = "id"

  /** The inputs of the tests that are not closed. */
  val inputs = new ConcurrentHashMap[String, FedInput]()
}

/** Each offset is a number of feeds. */
private final class FedStream(input: FedInput)
    extends MicroBatchStream
    with SupportsTriggerAvailableNow {
  private var end = Option.empty[Int]

  override def initialOffset(): Offset = new FedOffset(0)

  /** There is no offset before the first rows, or there would be a batch without rows. */
  override def latestOffset(): Offset = end.getOrElse(input.size) match {
    case 0     => null
    case feeds => new FedOffset(feeds)
  }

  override def latestOffset(start: Offset, limit: ReadLimit): Offset = latestOffset()

  override def prepareForTriggerAvailableNow(): Unit = end = Some(input.size)

  override def deserializeOffset(json: String): Offset = new FedOffset(json.toInt)

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
    input.between(start.json.toInt, end.json.toInt).map(new FedPartition(_)).toArray

  override def createReaderFactory(): PartitionReaderFactory = FedReaders

  override def commit(end: Offset): Unit = ()

  override def stop(): Unit = ()
}

private final class FedOffset(feeds: Int) extends Offset {
  override def json(): String = feeds.toString
}

private final class FedPartition(val rows: Array[InternalRow]) extends InputPartition

private object FedReaders extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new PartitionReader[InternalRow] {
      private val rows = partition.asInstanceOf[FedPartition].rows.iterator
      private var row: InternalRow = _

      override def next(): Boolean = rows.hasNext && { row = rows.next(); true }
      override def get(): InternalRow = row
      override def close(): Unit = ()
    }
}
