package tidegate.own.order

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.functions.{col, length}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types._
import tidegate.own.StateSchemas

/**
 * The state of an event-time order: pages by the keys of their first rows ([[ArrivalKey]]), and a
 * head for each partition, whose key is empty:
 *
 * | column                    | of a page                                                              | of the head                                                                          |
 * |:--------------------------|:-----------------------------------------------------------------------|:-------------------------------------------------------------------------------------|
 * | `rows`                    | the rows, by their arrivals                                            | NULL                                                                                 |
 * | `batches`, `numbers`      | batch and number of each row; NULL if the rows follow on the first one | NULL                                                                                 |
 * | `taken_up_to`, `taken_in` | NULL                                                                   | rows up to this time, in µs, that came up to this batch, have left; NULL if none has |
 * | `waiting`                 | NULL                                                                   | the number of rows that wait                                                         |
 */
private[tidegate] object OrderStateSchema {

  /** The column in which a head counts the rows that wait. */
  val WaitingColumn = "waiting"

  /** Of a row of the state as Spark's reader shows it: whether it is a head. */
  def isHead: Column = length(col("key.arrival")) === 0

  private[order] val Rows = 0
  private[order] val Batches = 1
  private[order] val Numbers = 2
  private[order] val TakenUpTo = 3
  private[order] val TakenIn = 4
  private[order] val Waiting = 5
  private[order] val PageColumns = 6

  private[order] val key: StructType =
    StructType(Seq(StructField("arrival", BinaryType, nullable = false)))

  private[order] def value(columns: Seq[Attribute]): StructType = {
    val longs = ArrayType(LongType, containsNull = false)
    new StructType()
      .add("rows", ArrayType(row(columns), containsNull = false))
      .add("batches", longs)
      .add("numbers", longs)
      .add("taken_up_to", LongType)
      .add("taken_in", LongType)
      .add(WaitingColumn, LongType)
  }

  /** The columns of the rows that wait. */
  private[order] def columns(value: StructType): StructType =
    value.headOption.map(_.dataType) match {
      case Some(ArrayType(row: StructType, _)) => row
      case _                                   => value
    }

  /** Whether rows of these columns, whose types are alike, are the same rows. */
  private[order] def areSame(before: StructType, now: StructType): Boolean =
    before.zip(now).forall { case (b, n) =>
      StateSchemas.isSameName(b.name, n.name) && areSame(b.dataType, n.dataType)
    }

  private def areSame(before: DataType, now: DataType): Boolean = (before, now) match {
    case (b: StructType, n: StructType) => areSame(b, n)
    case (b: ArrayType, n: ArrayType)   => areSame(b.elementType, n.elementType)
    case (b: MapType, n: MapType)       =>
      areSame(b.keyType, n.keyType) && areSame(b.valueType, n.valueType)
    case _ => true
  }

  /**
   * A row, with all columns nullable: a column may be without nulls in a batch that lacks a branch
   * of a union, and with nulls in the next.
   */
  private[order] def row(columns: Seq[Attribute]): StructType =
    StructType(columns.map(c => StructField(c.name, SparkInternals.nullable(c.dataType))))
}
