package tidegate.plans

import org.apache.spark.sql.types._

/**
 * The columns in which a task tells of its calls, behind the columns of the result. The first row
 * of a call tells of the call; a row with a dead letter does not leave.
 */
object CallColumns {

  /** The same columns in the same order as in Python's `_mapper.py`. */
  val schema: StructType = StructType(
    Seq(
      StructField("tidegate_micros", LongType),
      StructField("tidegate_attempts", IntegerType),
      StructField("tidegate_in_flight", IntegerType),
      StructField("tidegate_failed", BooleanType),
      StructField("tidegate_dead_letter", StringType)
    )
  )

  val Micros = 0
  val Attempts = 1
  val InFlight = 2
  val Failed = 3
  val DeadLetter = 4
}
