package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types._
import tidegate.columns.DistinctNames

/**
 * The columns in which a task tells of its calls, behind the columns of the result. The first row
 * of a call tells of the call; a row with a dead letter does not leave.
 */
object CallColumns {

  /** What a dead letter tells of a call. */
  val letter: StructType = StructType(
    Seq(
      StructField(
        "key",
        new StructType().add("batch", LongType).add("partition", IntegerType).add("row", LongType)
      ),
      StructField("function", StringType),
      StructField("error", StringType),
      StructField("attempts", IntegerType)
    )
  )

  private val withoutRow: StructType = StructType(
    Seq(
      StructField("tidegate_micros", LongType),
      StructField("tidegate_attempts", IntegerType),
      StructField("tidegate_in_flight", IntegerType),
      StructField("tidegate_failed", BooleanType),
      StructField("tidegate_dead_letter", letter)
    )
  )

  private val rowName = "tidegate_row"

  val Micros = 0
  val Attempts = 1
  val InFlight = 2
  val Failed = 3
  val DeadLetter = 4
  val Row = 5

  /** Names that the columns of a result may not have. */
  val names: Seq[String] = withoutRow.fieldNames.toSeq :+ rowName

  /**
   * The columns. With dead letters, the last one has the row with which a call failed; a name that
   * comes twice in it has a number at its second place.
   */
  def of(input: Seq[Attribute], onError: OnError): StructType =
    if (onError == OnError.DeadLetter) withoutRow.add(rowName, rowOf(input)) else withoutRow

  private def rowOf(input: Seq[Attribute]): DataType = {
    val fields = input.map(a => StructField(a.name, SparkInternals.nullable(a.dataType)))
    StructType(DistinctNames.of(fields))
  }

  /** Where they begin in the output of a node. */
  def begin(output: Seq[Attribute]): Int =
    output.lastIndexWhere(_.name == withoutRow.head.name)
}
