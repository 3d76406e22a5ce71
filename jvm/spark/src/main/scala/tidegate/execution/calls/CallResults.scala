package tidegate.execution.calls

import scala.util.control.NonFatal
import scala.util.{Failure, Success}

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.json4s.JsonDSL._
import org.json4s.jackson.JsonMethods
import tidegate.errors.AsyncErrors
import tidegate.plans.{CallOptions, OnError}

/** Makes the rows of a node from ended calls: the result, and `CallColumns` behind it. */
private[calls] final class CallResults(
    input: StructType,
    result: StructType,
    options: CallOptions
) {

  private val nullable = StructType(result.map(_.copy(nullable = true)))
  private val serialize = ExpressionEncoder(nullable).createSerializer()
  private val columns = result.size

  /** For each column of the result, where the input has a column of that name and type. */
  private val kept: Seq[Option[Int]] = result.map { field =>
    Some(input.indexWhere(f => f.name == field.name && f.dataType == field.dataType)).filter(_ >= 0)
  }

  def row(call: EndedCall): InternalRow = {
    val values = call.result match {
      case Success(row) => serialized(row)
      case Failure(_)   => serialize(Row.fromSeq(kept.map(_.map(call.row.get).orNull)))
    }
    val letter = call.result.failed.toOption
      .filter(_ => options.onError == OnError.DeadLetter)
      .map(error => UTF8String.fromString(deadLetter(call, error)))
    InternalRow.fromSeq(
      values.toSeq(nullable) ++
        Seq[Any](call.micros, call.attempts, call.inFlight, call.result.isFailure, letter.orNull)
    )
  }

  private def serialized(row: Row): InternalRow = {
    val found = if (row == null) "null" else s"${row.length} values"
    if (row == null || row.length != columns)
      throw AsyncErrors.wrongResult(options.function, result, found)
    result.indices.find(i => !result(i).nullable && row.isNullAt(i)).foreach { i =>
      throw AsyncErrors.nullResult(options.function, result(i).name)
    }
    try serialize(row)
    catch {
      case NonFatal(error) =>
        val cause = Option(error.getCause).getOrElse(error)
        throw AsyncErrors.wrongResult(options.function, result, cause.getMessage.stripSuffix("."))
    }
  }

  private def deadLetter(call: EndedCall, error: Throwable): String = {
    val key = call.key
    JsonMethods.compact(
      ("key" -> (("batch" -> key.batch) ~ ("partition" -> key.partition) ~ ("row" -> key.row))) ~
        ("function" -> options.function) ~
        ("error" -> error.toString) ~
        ("attempts" -> call.attempts) ~
        ("row" -> JsonMethods.parse(call.row.json))
    )
  }
}
