package tidegate.own

import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructType}

/**
 * Says in the schema of a state what the state is. Spark compares only the types of a state, and
 * would let an operator read the state of another one, of another version, or of other columns.
 *
 * @param kind
 *   the operator: its `kind`
 * @param format
 *   how the rows of the state, and the pages of due keys among them, are written:
 *   [[StateMark.Format]], or the number of another version
 * @param meaning
 *   what else must be known to continue the state, such as the columns by which its rows leave; in
 *   an order that the operator knows
 */
private[tidegate] final case class StateMark(
    kind: String,
    format: Int = StateMark.Format,
    meaning: Seq[String] = Nil
) {

  /** The key of a state, with this mark at its first column. */
  def on(key: StructType): StructType =
    StructType(key.head.copy(metadata = metadata) +: key.tail)

  private def metadata: Metadata = {
    val mark = new MetadataBuilder()
      .putString(StateMark.Kind, kind)
      .putLong(StateMark.FormatField, format.toLong)
    // An empty array loses its type in JSON.
    if (meaning.nonEmpty) mark.putStringArray(StateMark.Meaning, meaning.toArray)
    new MetadataBuilder().putMetadata(StateMark.Field, mark.build()).build()
  }
}

private[tidegate] object StateMark {

  /**
   * The format that is written, and the highest that is read. One number for all operators: raise
   * the number with each change of what one of them writes.
   */
  val Format = 1

  private val Field = "tidegate.state"
  private val Kind = "kind"
  private val FormatField = "format"
  private val Meaning = "meaning"

  /** The mark on the key of a state; none if it is no state of ours. */
  def of(key: StructType): Option[StateMark] =
    key.headOption.map(_.metadata).filter(_.contains(Field)).map(_.getMetadata(Field)).map { m =>
      StateMark(
        m.getString(Kind),
        m.getLong(FormatField).toInt,
        if (m.contains(Meaning)) m.getStringArray(Meaning).toSeq else Nil
      )
    }
}
