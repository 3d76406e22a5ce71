package org.apache.spark.sql.tidegate

import java.io.StringWriter

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonGenerator}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._

/**
 * Rows as lines of JSON from which Spark's reader makes the same rows: times are whole, and in UTC.
 *
 * A map whose keys are no text has no form in JSON that can be read back: it becomes the array of
 * its entries, each with `key` and `value`.
 *
 * @param columns
 *   of the rows
 */
final class JsonRows(columns: StructType) {
  import JsonRows._

  private val line = new StringWriter
  private val generator =
    new JacksonGenerator(written(columns), line, new JSONOptions(Options, "UTC"))
  private val toWritten = converter(columns)

  /** A row as text, without an end of line. */
  def text(row: InternalRow): String = {
    line.getBuffer.setLength(0)
    generator.write(toWritten(row).asInstanceOf[InternalRow])
    generator.flush()
    line.toString
  }
}

object JsonRows {

  private val Options = Map(
    "ignoreNullFields" -> "false",
    "timestampFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
  )

  /** The type of a value in a line. */
  private def written(dataType: DataType): DataType = dataType match {
    case StructType(fields) => StructType(fields.map(f => f.copy(dataType = written(f.dataType))))
    case ArrayType(element, nullable)          => ArrayType(written(element), nullable)
    case MapType(key, value, _) if isText(key) => MapType(key, written(value))
    case MapType(key, value, _)                => ArrayType(entry(written(key), written(value)))
    case udt: UserDefinedType[_]               => written(udt.sqlType)
    case other                                 => other
  }

  private def entry(key: DataType, value: DataType) =
    new StructType().add("key", key).add("value", value)

  private def isText(dataType: DataType): Boolean = dataType.isInstanceOf[StringType]

  /** Makes a value of a line from one of a row. */
  private def converter(dataType: DataType): Any => Any = dataType match {
    case same if written(same) == same => identity
    case StructType(fields)            =>
      val inner = fields.map(f => converter(f.dataType))
      ofValue { case row: InternalRow =>
        InternalRow.fromSeq(fields.indices.map(i => inner(i)(row.get(i, fields(i).dataType))))
      }
    case ArrayType(element, _) =>
      ofValue { case array: ArrayData => list(array, element) }
    case MapType(key, value, _) =>
      ofValue { case map: MapData =>
        val (keys, values) = (list(map.keyArray(), key), list(map.valueArray(), value))
        if (isText(key)) new ArrayBasedMapData(keys, values)
        else
          new GenericArrayData(
            keys.array.zip(values.array).map { case (k, v) => InternalRow(k, v) }
          )
      }
    case udt: UserDefinedType[_] => converter(udt.sqlType)
    case _                       => identity
  }

  private def ofValue(convert: PartialFunction[Any, Any]): Any => Any =
    value => if (value == null) null else convert(value)

  private def list(values: ArrayData, element: DataType): GenericArrayData =
    new GenericArrayData(values.toObjectArray(element).map(converter(element)))
}
