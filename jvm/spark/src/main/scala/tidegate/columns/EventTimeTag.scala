package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types._
import tidegate.core.window.WindowGrid

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

  /** `metadata` without marks, of a column that shows no time any more. */
  def unmarked(metadata: Metadata): Metadata = {
    val own = new MetadataBuilder().withMetadata(metadata)
    Seq(KeyField, SparkField, WindowMark.Field).foreach(own.remove)
    if (key(metadata).isDefined) own.remove(CommentField)
    own.build()
  }

  /** `metadata` with its own marks replaced by the marks of column `a`. */
  def withMarksOf(metadata: Metadata, a: Attribute): Metadata = {
    val own = new MetadataBuilder().withMetadata(unmarked(metadata))
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
    sources
      .flatMap(keyBehind)
      .headOption
      .filter(_ => hasSparkTag(a) || isOurs(a.metadata))
      .fold(a) { k =>
        val marked = WindowMark.withKey(a.metadata, k)
        val tagged = new MetadataBuilder().withMetadata(marked)
        a.withMetadata(this.tagged(tagged, if (hasSparkTag(a)) Some(k) else None, None))
      }

  /** Also that of a window's start, which shows no time by itself. */
  private def keyBehind(a: Attribute): Option[Byte] =
    key(a).orElse(WindowMark.of(a).flatMap(_.key))

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

/**
 * The mark, in its metadata, of a column that a SQL window function has added.
 *
 * @param function
 *   the name of the function, in upper case
 * @param role
 *   `start`, `end` or `time`
 * @param grid
 *   where the windows begin; `None` for sessions
 * @param timeColumn
 *   the name of the time column that the windows were made from
 * @param key
 *   the watermark key of the time column
 * @param lagMs
 *   the delay of that watermark, in ms, as in Spark's tag
 */
final case class WindowMark(
    function: String,
    role: WindowRole,
    grid: Option[WindowGrid],
    timeColumn: String,
    key: Option[Byte],
    lagMs: Option[Long]
) {

  /** Whether windows that end at different times begin together. */
  def sharesStart: Boolean = function == WindowMark.Growing

  /** Identifies the windows and the part of them, but not the watermark that closes them. */
  def window: (String, WindowRole, Option[WindowGrid]) = (function, role, grid)

  /** Whether two columns belong to the same window of a row. */
  def isOfSameWindow(other: WindowMark): Boolean =
    function == other.function && grid == other.grid && timeColumn == other.timeColumn

  /** The metadata of a column of this role; never with a tag if it is the start. */
  def metadata: Metadata = {
    val mark = new MetadataBuilder()
      .putString("function", function)
      .putString("role", role.name)
      .putString("timeColumn", timeColumn)
    grid.foreach { g =>
      mark
        .putLong("slideMs", g.slideMs)
        .putLong("offsetMs", g.offsetMs)
        .putLong("sizeMs", g.sizeMs)
    }
    key.foreach(k => mark.putLong("key", k.toLong))
    lagMs.foreach(mark.putLong("lagMs", _))
    val builder = new MetadataBuilder().putMetadata(WindowMark.Field, mark.build())
    if (role == WindowRole.Start) builder.build() else EventTimeTag.tagged(builder, key, lagMs)
  }
}

object WindowMark {
  private[tidegate] val Field = "tidegate.window"

  /** The function whose windows grow. */
  private val Growing = "CUMULATE"

  /**
   * The mark of a column. Spark's windows inherit the metadata of their time column, but are not
   * our columns.
   */
  def of(a: Attribute): Option[WindowMark] =
    if (!a.metadata.contains(Field) || EventTimeTag.isWindow(a)) None
    else {
      val m = a.metadata.getMetadata(Field)
      def long(name: String): Option[Long] = if (m.contains(name)) Some(m.getLong(name)) else None
      for (role <- WindowRole.all.find(_.name == m.getString("role")))
        yield WindowMark(
          m.getString("function"),
          role,
          for (slide <- long("slideMs"); offset <- long("offsetMs"); size <- long("sizeMs"))
            yield WindowGrid(slide, offset, size, m.getString("function") == Growing),
          m.getString("timeColumn"),
          long("key").map(_.toByte),
          long("lagMs")
        )
    }

  /** The metadata with another watermark key in its mark, if it has one. */
  def withKey(metadata: Metadata, key: Byte): Metadata =
    if (!metadata.contains(Field)) metadata
    else {
      val mark = new MetadataBuilder().withMetadata(metadata.getMetadata(Field))
      new MetadataBuilder()
        .withMetadata(metadata)
        .putMetadata(Field, mark.putLong("key", key.toLong).build())
        .build()
    }

  /** The metadata without a mark, for a column that is now a time in its own right. */
  def removed(metadata: Metadata): Metadata =
    new MetadataBuilder().withMetadata(metadata).remove(Field).build()

  def hasRole(a: Attribute, role: WindowRole): Boolean = of(a).exists(_.role == role)
}

/** Which part of its window a column holds. */
sealed abstract class WindowRole(val name: String) {

  /** The name that SQL window functions give the column. */
  def columnName: String = s"window_$name"
}

object WindowRole {

  /** The first instant of the window. A tag on it would close windows as soon as they begin. */
  case object Start extends WindowRole("start")

  /** The first instant after the window. */
  case object End extends WindowRole("end")

  /**
   * The last whole millisecond of the window: the time column for the next window function in a
   * chain.
   */
  case object Time extends WindowRole("time")

  val all: Seq[WindowRole] = Seq(Start, End, Time)
}
