package tidegate.own.order

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The state of event-time order as it is written for fixed rows, as text. */
object WrittenPages {
  private val columns = Seq(
    AttributeReference("time", TimestampType, nullable = false)(),
    AttributeReference("text", StringType)()
  )

  private val toRow =
    UnsafeProjection.create(StructType(columns.map(c => StructField(c.name, c.dataType))))

  private val rows = Seq(-5L -> "a", 7L -> null, 7L -> "much longer than a word")

  def text: String = {
    val writer = new PageWriter(PageSizes())
    def add(micros: Long, text: String, batchId: Long, number: Long): Unit = {
      val row = toRow(InternalRow(micros, UTF8String.fromString(text)))
      writer.add(micros, batchId, number, row)
    }
    def page(): Seq[String] = {
      val key = new ArrivalKey(0L).of(writer.first)
      Seq(hex(key), hex(writer.page()))
    }
    rows.zipWithIndex.foreach { case ((micros, text), i) => add(micros, text, 3L, 10L + i) }
    val follow = page()
    rows.zipWithIndex.foreach { case ((micros, text), i) => add(micros, text, 3L - i, 10L) }
    val merged = page()
    val heads = Seq(
      hex(ArrivalKey.head),
      hex(writer.head(None, 4L)),
      hex(writer.head(Some(Taken(-6L, 3L)), 6L))
    )
    val schemas = Seq(
      OrderState("time", Seq("text")).mark.on(OrderStateSchema.key).json,
      OrderStateSchema.value(columns).json
    )
    (schemas ++ follow ++ merged ++ heads).mkString("", "\n", "\n")
  }

  private def hex(row: UnsafeRow): String = row.getBytes.map(byte => f"$byte%02x").mkString
}
