package tidegate.execution.calls

import scala.util.control.NonFatal
import scala.util.{Failure, Success}

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
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
  private val asItCame = ExpressionEncoder(input).createSerializer()
  private val columns = result.size
  private val hasLetters = options.onError == OnError.DeadLetter

  /** For each column of the result, where the input has a column of that name and type. */
  private val kept: Seq[Option[Int]] = result.map { field =>
    Some(input.indexWhere(f => f.name == field.name && f.dataType == field.dataType)).filter(_ >= 0)
  }

  def row(call: EndedCall): InternalRow = {
    val values = call.result match {
      case Success(row) => serialized(row)
      case Failure(_)   => serialize(Row.fromSeq(kept.map(_.map(call.row.get).orNull)))
    }
    val error = call.result.failed.toOption.filter(_ => hasLetters)
    val told = Seq[Any](
      call.micros,
      call.attempts,
      call.inFlight,
      call.result.isFailure,
      error.map(deadLetter(call, _)).orNull
    )
    val dead = if (hasLetters) Seq(error.map(_ => asItCame(call.row)).orNull) else Nil
    InternalRow.fromSeq(values.toSeq(nullable) ++ told ++ dead)
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

  private def deadLetter(call: EndedCall, error: Throwable): InternalRow = InternalRow(
    InternalRow(call.key.batch, call.key.partition, call.key.row),
    UTF8String.fromString(options.function),
    UTF8String.fromString(error.toString),
    call.attempts
  )
}
