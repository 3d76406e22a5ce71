package tidegate

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{PartitionReader, Scan, ScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A table of Spark's second interface to sources, which can only be read as a stream. */
final class StreamTable(title: String, structure: StructType)(
    stream: CaseInsensitiveStringMap => MicroBatchStream
) extends Table
    with SupportsRead {
  override def name(): String = title
  override def schema(): StructType = structure
  override def capabilities(): util.Set[TableCapability] =
    Set(TableCapability.MICRO_BATCH_READ).asJava
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
    new Scan {
      override def readSchema(): StructType = structure
      override def toMicroBatchStream(checkpoint: String): MicroBatchStream = stream(options)
    }
}

/** Reads rows that are in memory. */
final class RowsReader(rows: Iterator[InternalRow]) extends PartitionReader[InternalRow] {
  private var row: InternalRow = _
  override def next(): Boolean = {
    val more = rows.hasNext
    if (more) row = rows.next()
    more
  }
  override def get(): InternalRow = row
  override def close(): Unit = ()
}
