package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types._

/**
 * The marks of an event time column in its metadata: our key, which is authoritative, and Spark's
 * tag, which Spark's checks and stateful operators look for.
 */
object EventTimeTag {
  private val KeyField = "tidegate.watermarkKey"
  private val SparkField = EventTimeWatermark.delayKey
  private val CommentField = "comment"

  /** Whether an expression may be an event time. */
  def isTime(e: Expression): Boolean = e.dataType == TimestampType || e.dataType == TimestampNTZType

  /** The column with our key and Spark's tag; `lagMs` is the delay that Spark's tag carries. */
  def add(a: Attribute, key: Byte, lagMs: Long): Attribute =
    a.withMetadata(tagged(builder(a), Some(key), Some(lagMs)))

  /** Metadata with our key and Spark's tag, if they are given, and a comment for `DESCRIBE`. */
  def tagged(builder: MetadataBuilder, key: Option[Byte], lagMs: Option[Long]): Metadata = {
    val before = builder.build()
    key.filter(_ => !before.contains(KeyField)).foreach { k =>
      val words = s"event time, watermark key $k"
      val comment =
        if (before.contains(CommentField)) s"${before.getString(CommentField)} ($words)" else words
      builder.putLong(KeyField, k.toLong).putString(CommentField, comment)
    }
    lagMs.foreach(builder.putLong(SparkField, _))
    builder.build()
  }

  /** Whether a column has one of our marks: a watermark key, or the mark of a window. */
  def isOurs(metadata: Metadata): Boolean =
    metadata.contains(KeyField) || metadata.contains(WindowMark.Field)

  /** `metadata` with its own marks replaced by the marks of column `a`. */
  def withMarksOf(metadata: Metadata, a: Attribute): Metadata = {
    val own = new MetadataBuilder().withMetadata(metadata)
    Seq(KeyField, SparkField, WindowMark.Field).foreach(own.remove)
    if (key(metadata).isDefined) own.remove(CommentField)
    if (key(a).isDefined && a.metadata.contains(CommentField)) {
      own.putString(CommentField, a.metadata.getString(CommentField))
    }
    key(a).foreach(k => own.putLong(KeyField, k.toLong))
    lagMs(a).foreach(own.putLong(SparkField, _))
    if (a.metadata.contains(WindowMark.Field)) {
      own.putMetadata(WindowMark.Field, a.metadata.getMetadata(WindowMark.Field))
    }
    own.build()
  }

  /**
   * A column that was made of others, as a window is, with the key of the one among them that has a
   * watermark.
   */
  def withKeyOf(a: Attribute, sources: Seq[Attribute]): Attribute =
    sources.flatMap(key(_)).headOption.filter(_ => hasSparkTag(a) || isOurs(a.metadata)).fold(a) {
      k =>
        val marked = WindowMark.withKey(a.metadata, k)
        val tagged = new MetadataBuilder().withMetadata(marked)
        a.withMetadata(this.tagged(tagged, if (hasSparkTag(a)) Some(k) else None, None))
    }

  /** The watermark key of a column. */
  def key(a: Attribute): Option[Byte] = key(a.metadata)

  def key(metadata: Metadata): Option[Byte] =
    if (metadata.contains(KeyField)) Some(metadata.getLong(KeyField).toByte) else None

  def hasSparkTag(a: Attribute): Boolean = a.metadata.contains(SparkField)

  /** The delay in Spark's tag, in ms. */
  def lagMs(a: Attribute): Option[Long] =
    if (hasSparkTag(a)) Some(a.metadata.getLong(SparkField)) else None

  /** The column with Spark's tag; it gets no key. */
  def withSparkTag(a: Attribute, lagMs: Long): Attribute =
    a.withMetadata(builder(a).putLong(SparkField, lagMs).build())

  /** The column without Spark's tag; our key stays. */
  def withoutSparkTag(a: Attribute): Attribute =
    a.withMetadata(builder(a).remove(SparkField).build())

  /** Whether a column is a window: a struct of start and end, as sessions are too. */
  def isWindow(a: Attribute): Boolean = isWindow(a.dataType)

  def isWindow(dataType: DataType): Boolean = dataType.isInstanceOf[StructType]

  /** The time of a column; for a window, its end. */
  def decisive(column: Attribute): Expression =
    if (isWindow(column)) GetStructField(column, 1) else column

  /** Whether the column shows when a window is closed: a window, or the end of one. */
  def closesWindow(a: Attribute): Boolean = isWindow(a) || WindowMark.hasRole(a, WindowRole.End)

  private def builder(a: Attribute) = new MetadataBuilder().withMetadata(a.metadata)
}
