package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, StructType}

/**
 * The marks of an event time column in its metadata: our key, which is the truth, and Spark's tag,
 * which its checks and stateful operators ask for.
 */
object EventTimeTag {
  private val KeyField = "tidegate.watermarkKey"
  private val SparkField = EventTimeWatermark.delayKey

  /** The column with our key and Spark's tag; `lagMs` is the delay that Spark's tag carries. */
  def add(a: Attribute, key: Byte, lagMs: Long): Attribute =
    a.withMetadata(builder(a).putLong(KeyField, key.toLong).putLong(SparkField, lagMs).build())

  /** The watermark key of a column. */
  def key(a: Attribute): Option[Byte] = key(a.metadata)

  def key(metadata: Metadata): Option[Byte] =
    if (metadata.contains(KeyField)) Some(metadata.getLong(KeyField).toByte) else None

  def hasSparkTag(a: Attribute): Boolean = a.metadata.contains(SparkField)

  /** The column without Spark's tag; our key stays. */
  def withoutSparkTag(a: Attribute): Attribute =
    a.withMetadata(builder(a).remove(SparkField).build())

  /** A window is a struct of start and end; a session too. */
  def isWindow(a: Attribute): Boolean = isWindow(a.dataType)

  def isWindow(dataType: DataType): Boolean = dataType.isInstanceOf[StructType]

  private def builder(a: Attribute) = new MetadataBuilder().withMetadata(a.metadata)
}
