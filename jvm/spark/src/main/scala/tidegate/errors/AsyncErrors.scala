package tidegate.errors

import java.util.concurrent.TimeoutException

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.StructType
import tidegate.errors.Conditions.{causedError, error, list}

/** Errors of asynchronous calls. */
object AsyncErrors {

  def number(argument: String, found: Int, smallest: Int, example: Int): AnalysisException =
    error(
      "CALL_NUMBER",
      "argument" -> argument,
      "found" -> found.toString,
      "smallest" -> smallest.toString,
      "example" -> example.toString
    )

  def onError(found: String, known: Seq[String]): AnalysisException =
    error("CALL_ON_ERROR", "found" -> found, "known" -> known.mkString("'", "', '", "'"))

  def deadLetters(found: Option[String], onError: String): AnalysisException =
    error(
      "CALL_DEAD_LETTERS",
      "found" -> found.fold("left out")(folder => s"'$folder'"),
      "onError" -> onError
    )

  def deadLetterFolder(found: String, cause: Throwable): AnalysisException =
    causedError(
      "CALL_DEAD_LETTER_FOLDER",
      Some(cause),
      "found" -> found,
      "reason" -> FileReason.of(cause)
    )

  def schema(found: String, cause: Throwable): AnalysisException =
    causedError("CALL_SCHEMA", Some(cause), "found" -> found)

  def columnTwice(column: String): AnalysisException =
    error("CALL_COLUMN_TWICE", "column" -> column)

  def columnReserved(column: String): AnalysisException =
    error("CALL_COLUMN_RESERVED", "column" -> column)

  def nullColumn(column: String): AnalysisException =
    error("CALL_NULL_COLUMN", "column" -> column)

  def callFailed(
      function: String,
      batch: Long,
      partition: Int,
      row: Long,
      attempts: Int,
      failure: Throwable
  ): AnalysisException =
    causedError(
      "CALL_FAILED",
      Some(failure),
      "function" -> function,
      "batch" -> batch.toString,
      "partition" -> partition.toString,
      "row" -> row.toString,
      "attempts" -> (if (attempts == 1) "1 attempt" else s"$attempts attempts"),
      "failure" -> sentence(failure)
    )

  def serviceDown(function: String, count: Int, failure: Throwable): AnalysisException =
    causedError(
      "CALL_SERVICE_DOWN",
      Some(failure),
      "function" -> function,
      "count" -> count.toString,
      "failure" -> sentence(failure)
    )

  /** @param hook `setup` or `teardown` */
  def hookFailed(hook: String, function: String, failure: Throwable): AnalysisException = {
    val cure = failure match {
      case _: TimeoutException =>
        "Each of setup and teardown may take as long as an attempt: raise timeout, or begin in " +
          "setup what takes longer, and let the calls wait for it."
      case _ => "The query stops; start it again when the cause is gone."
    }
    causedError(
      "CALL_HOOK_FAILED",
      Some(failure),
      "hook" -> hook,
      "function" -> function,
      "failure" -> sentence(failure),
      "cure" -> cure
    )
  }

  def wrongResult(function: String, wanted: StructType, found: String): AnalysisException =
    error(
      "CALL_WRONG_RESULT",
      "function" -> function,
      "wanted" -> list(wanted.fieldNames),
      "found" -> found
    )

  def nullResult(function: String, column: String): AnalysisException =
    error("CALL_NULL_RESULT", "function" -> function, "column" -> column)

  /** The class and the message of an error, without the full stop of the message. */
  private def sentence(failure: Throwable): String = {
    val message = Option(failure.getMessage).fold("")(text => s": ${text.stripSuffix(".")}")
    s"${failure.getClass.getSimpleName}$message"
  }
}
