package tidegate.own.order

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/**
 * What an event-time order sorts by, and how it writes its state. The schema of its state has this
 * mark in the metadata of the key: Spark compares only the types of a state, and would let a
 * restarted query order the waiting rows in another way.
 *
 * @param format
 *   an [[OrderFormat]], or the number of a later version
 */
final case class OrderMark(eventTime: String, partitionBy: Seq[String], format: Int) {

  def metadata: Metadata = {
    val mark = new MetadataBuilder().putString(OrderMark.TimeField, eventTime)
    // An empty array loses its type in JSON.
    if (partitionBy.nonEmpty) mark.putStringArray(OrderMark.KeysField, partitionBy.toArray)
    // Version 0.1.0 wrote no number.
    if (format != OrderFormat.Rows) mark.putLong(OrderMark.FormatField, format.toLong)
    mark.build()
  }

  /** Whether both sort alike. */
  def sortsAs(other: OrderMark): Boolean =
    eventTime == other.eventTime && partitionBy == other.partitionBy

  /** For messages. */
  override def toString: String = {
    val what =
      if (partitionBy.isEmpty) "all rows"
      else partitionBy.mkString("the rows of each `", "`, `", "`")
    s"$what by `$eventTime`"
  }
}

object OrderMark {
  private val TimeField = "tidegate.orderedBy"
  private val KeysField = "tidegate.partitionedBy"
  private val FormatField = "tidegate.orderFormat"

  /** What this version writes. */
  def apply(order: EventTimeOrder): OrderMark = apply(order.eventTime, order.partitionBy)

  /** What this version writes. */
  def apply(eventTime: Attribute, partitionBy: Seq[Attribute]): OrderMark =
    OrderMark(eventTime.name, partitionBy.map(_.name), OrderFormat.Current)

  /** `None` if the metadata has no mark. */
  def of(metadata: Metadata): Option[OrderMark] =
    if (!metadata.contains(TimeField)) None
    else {
      val partitionBy =
        if (metadata.contains(KeysField)) metadata.getStringArray(KeysField).toSeq else Nil
      val format =
        if (metadata.contains(FormatField)) metadata.getLong(FormatField).toInt
        else OrderFormat.Rows
      Some(OrderMark(metadata.getString(TimeField), partitionBy, format))
    }
}
