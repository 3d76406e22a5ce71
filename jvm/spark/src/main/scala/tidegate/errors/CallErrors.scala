package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.DataType
import tidegate.errors.Conditions.{causedError, error, list}

/** Errors of calls of table functions in SQL: their form and their arguments. */
object CallErrors {

  def tableMissing(function: String, example: String): AnalysisException =
    error("TABLE_MISSING", "function" -> function, "example" -> example)

  def streamMisplaced(function: String): AnalysisException =
    error("STREAM_MISPLACED", "function" -> function)

  def intervalParameter(found: String): AnalysisException =
    error("INTERVAL_PARAMETER", "found" -> found)

  def tableOrder(function: String): AnalysisException = error("TABLE_ORDER", "function" -> function)

  def partitionByNotTaken(function: String): AnalysisException =
    error("PARTITION_BY_NOT_TAKEN", "function" -> function)

  def partitionByExpression(function: String, found: String): AnalysisException =
    error("PARTITION_BY_EXPRESSION", "function" -> function, "found" -> found)

  def tooManyArguments(function: String, signature: String, found: Int): AnalysisException =
    error(
      "TOO_MANY_ARGUMENTS",
      "function" -> function,
      "signature" -> signature,
      "found" -> found.toString
    )

  def positionalAfterNamed(function: String, found: String): AnalysisException =
    error("POSITIONAL_AFTER_NAMED", "function" -> function, "found" -> found)

  def argumentTwice(function: String, argument: String): AnalysisException =
    error("ARGUMENT_TWICE", "function" -> function, "argument" -> argument)

  def argumentMissing(
      function: String,
      argument: String,
      signature: String,
      example: String
  ): AnalysisException =
    error(
      "ARGUMENT_MISSING",
      "function" -> function,
      "argument" -> argument,
      "signature" -> signature,
      "example" -> example
    )

  def unknownArgument(
      function: String,
      found: String,
      near: String,
      known: Seq[String]
  ): AnalysisException =
    error(
      "UNKNOWN_ARGUMENT",
      "function" -> function,
      "found" -> found,
      "near" -> near,
      "known" -> list(known)
    )

  def argumentNotConstant(function: String, argument: String, found: String): AnalysisException =
    error(
      "ARGUMENT_NOT_CONSTANT",
      "function" -> function,
      "argument" -> argument,
      "found" -> found
    )

  /** @param failure what Spark says when it computes the argument */
  def argumentFails(
      function: String,
      argument: String,
      found: String,
      failure: Throwable
  ): AnalysisException =
    causedError(
      "ARGUMENT_FAILS",
      Some(failure),
      "function" -> function,
      "argument" -> argument,
      "found" -> found,
      "failure" -> sentence(failure)
    )

  /** The text of an error, without the statement that Spark quotes below it. */
  private def sentence(failure: Throwable): String =
    Option(failure.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(failure.toString)

  def invalidArgument(
      function: String,
      argument: String,
      found: String,
      wanted: String
  ): AnalysisException =
    error(
      "INVALID_ARGUMENT",
      "function" -> function,
      "argument" -> argument,
      "found" -> found,
      "wanted" -> wanted
    )

  /** @param column what the descriptor should most likely have */
  def descriptorMissing(
      function: String,
      argument: String,
      found: String,
      column: String
  ): AnalysisException =
    error(
      "DESCRIPTOR_MISSING",
      "function" -> function,
      "argument" -> argument,
      "found" -> found,
      "column" -> column
    )

  /** @param found a name that no function has, near to the name of ours */
  def unknownFunction(found: String, near: String, usage: String): AnalysisException =
    error("UNKNOWN_FUNCTION", "found" -> found, "near" -> near, "usage" -> usage)

  def descriptorColumns(function: String, found: Seq[String]): AnalysisException =
    error(
      "DESCRIPTOR_COLUMNS",
      "function" -> function,
      "number" -> (if (found.isEmpty) "no column" else s"${found.size} columns: ${list(found)}")
    )

  def descriptorOfExpression(found: String): AnalysisException =
    error("DESCRIPTOR_OF_EXPRESSION", "found" -> found)

  def timeColumnNotFound(
      function: String,
      column: String,
      columns: Seq[String]
  ): AnalysisException =
    error(
      "TIME_COLUMN_NOT_FOUND",
      "function" -> function,
      "column" -> column,
      "columns" -> list(columns)
    )

  def timeColumnNotTimestamp(
      function: String,
      column: String,
      found: DataType
  ): AnalysisException =
    error(
      "TIME_COLUMN_NOT_TIMESTAMP",
      "function" -> function,
      "column" -> column,
      "found" -> found.sql
    )

  def timeColumnIsField(column: String): AnalysisException =
    error("TIME_COLUMN_IS_FIELD", "column" -> column)
}
