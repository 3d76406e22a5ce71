package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import tidegate.core.window.WindowGrid

/**
 * The mark on a column that a window function of SQL has added, in its metadata.
 *
 * @param function
 *   the name of the function, in upper case
 * @param role
 *   `start`, `end` or `time`
 * @param grid
 *   where the windows begin; `None` for sessions
 * @param timeColumn
 *   the name of the column that the windows were made of
 * @param key
 *   its watermark key
 * @param lagMs
 *   the delay of its watermark, in ms: what Spark's tag says
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
  def sharesStart: Boolean = function == "CUMULATE"

  /** What windows these are, and which part of them; not whose watermark closes them. */
  def window: (String, WindowRole, Option[WindowGrid]) = (function, role, grid)

  /** Whether two columns are of the same window of a row. */
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

  /**
   * Spark's windows have the metadata of the time that they were made of, and are no column of
   * ours.
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
            yield WindowGrid(slide, offset, size),
          m.getString("timeColumn"),
          long("key").map(_.toByte),
          long("lagMs")
        )
    }

  /** The metadata without a mark: of a column that is a time of its own now. */
  def removed(metadata: Metadata): Metadata =
    new MetadataBuilder().withMetadata(metadata).remove(Field).build()

  def hasRole(a: Attribute, role: WindowRole): Boolean = of(a).exists(_.role == role)
}
