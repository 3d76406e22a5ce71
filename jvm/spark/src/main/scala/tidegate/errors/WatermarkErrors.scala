package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.{DataType, StringType}
import tidegate.errors.Conditions.{error, list}

/** Errors of keyed watermarks: their arguments, their keys, and where they meet. */
object WatermarkErrors {

  def extensionNotInstalled(): AnalysisException = error("EXTENSION_NOT_INSTALLED")

  def eventTimeNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("EVENT_TIME_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def eventTimeNotTimestamp(column: String, found: DataType): AnalysisException =
    error("EVENT_TIME_NOT_TIMESTAMP", "column" -> column, "found" -> found.sql)

  def substreamNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("SUBSTREAM_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def substreamType(column: String, found: DataType): AnalysisException =
    error("SUBSTREAM_TYPE", "column" -> column, "found" -> found.sql)

  /** @param field the field of a struct that a name is */
  def columnIsField(argument: String, column: String, field: NamedExpression): AnalysisException =
    error(
      "COLUMN_IS_FIELD",
      "argument" -> argument,
      "column" -> column,
      "struct" -> field.references.headOption.fold("?")(_.name),
      "field" -> field.name
    )

  def ingestionTimeNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("INGESTION_TIME_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def ingestionTimeNotTimestamp(column: String, found: DataType): AnalysisException =
    error("INGESTION_TIME_NOT_TIMESTAMP", "column" -> column, "found" -> found.sql)

  def ingestionTimeAndPolicy(policy: String): AnalysisException =
    error("INGESTION_TIME_AND_POLICY", "policy" -> policy)

  def keyOutOfRange(key: Int): AnalysisException =
    error("KEY_OUT_OF_RANGE", "found" -> key.toString)

  def keyUsedTwice(key: Byte, eventTime: String, earlier: String): AnalysisException =
    error("KEY_USED_TWICE", "key" -> key.toString, "column" -> eventTime, "earlier" -> earlier)

  def columnKeyedTwice(column: String, key: Long): AnalysisException =
    error("COLUMN_KEYED_TWICE", "column" -> column, "key" -> key.toString)

  def emptyName(): AnalysisException = error("EMPTY_NAME")

  def mixedWatermarks(keyed: String, spark: String): AnalysisException =
    error("MIXED_WATERMARKS", "keyed" -> keyed, "spark" -> spark)

  def ambiguousEventTime(operator: String, columns: Seq[String]): AnalysisException =
    error("AMBIGUOUS_EVENT_TIME", "operator" -> operator, "columns" -> list(columns))

  def unknownStatefulOperator(
      operator: String,
      watermark: String,
      known: Seq[String]
  ): AnalysisException =
    error(
      "UNKNOWN_STATEFUL_OPERATOR",
      "operator" -> operator,
      "watermark" -> watermark,
      "known" -> list(known)
    )

  def deduplicatedMap(column: String, found: DataType): AnalysisException =
    error("DEDUPLICATED_MAP", "column" -> column, "found" -> found.sql)

  /** The key is a text with a collation, or has one in it. */
  def collatedKey(operator: String, key: String, found: DataType): AnalysisException = {
    val text = if (found.isInstanceOf[StringType]) key else "text"
    error(
      "COLLATED_KEY",
      "operator" -> operator,
      "key" -> key,
      "found" -> found.sql,
      "text" -> text
    )
  }

  /** The time of an operator is marked as one with a watermark, and has none. */
  def timeWithoutWatermark(operator: String, column: String): AnalysisException =
    error("TIME_WITHOUT_WATERMARK", "operator" -> operator, "column" -> column)

  def keyNotAvailable(
      operator: String,
      column: String,
      key: Byte,
      reason: String
  ): AnalysisException =
    error(
      "KEY_NOT_AVAILABLE",
      "operator" -> operator,
      "column" -> column,
      "key" -> key.toString,
      "reason" -> reason
    )
}
