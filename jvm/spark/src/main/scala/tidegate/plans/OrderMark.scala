package tidegate.plans

import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/**
 * What an event-time order is by, as the schema of its state has it in the metadata of the key.
 * Spark compares the types of a state only, and would let rows that wait be continued in another
 * order.
 */
final case class OrderMark(eventTime: String, partitionBy: Seq[String]) {

  def metadata: Metadata = {
    val mark = new MetadataBuilder().putString(OrderMark.TimeField, eventTime)
    // In JSON an empty array has lost its type.
    if (partitionBy.nonEmpty) mark.putStringArray(OrderMark.KeysField, partitionBy.toArray)
    mark.build()
  }

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

  def of(order: EventTimeOrder): OrderMark =
    OrderMark(order.eventTime.name, order.partitionBy.map(_.name))

  /** None if it is not of such a key. */
  def of(metadata: Metadata): Option[OrderMark] =
    if (!metadata.contains(TimeField)) None
    else {
      val partitionBy =
        if (metadata.contains(KeysField)) metadata.getStringArray(KeysField).toSeq else Nil
      Some(OrderMark(metadata.getString(TimeField), partitionBy))
    }
}
