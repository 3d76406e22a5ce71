package tidegate.plans

import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/**
 * How the states of interval joins and deduplications are written, their pages of due keys
 * included. The schema of a state has the number in the metadata of the last column of the key:
 * Spark compares only the types.
 */
object StateFormat {

  /** The format that is written, and the highest that is read. */
  val Current = 1

  private val Field = "tidegate.stateFormat"

  /** Whether a column is the last one of the key of such a state. */
  def isIn(metadata: Metadata): Boolean = metadata.contains(Field)

  def metadata: Metadata = new MetadataBuilder().putLong(Field, Current.toLong).build()

  /** The number in the metadata; the first one if there is none. */
  def of(metadata: Metadata): Int =
    if (metadata.contains(Field)) metadata.getLong(Field).toInt else 1
}
