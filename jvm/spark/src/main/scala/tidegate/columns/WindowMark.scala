package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import tidegate.core.window.WindowGrid

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
