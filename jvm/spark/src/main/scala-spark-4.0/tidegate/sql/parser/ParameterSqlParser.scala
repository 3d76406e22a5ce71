package tidegate.sql.parser

import org.apache.spark.sql.execution.SparkSqlParser

/** Spark's parser, which leaves parameters in the plan. */
private[parser] abstract class ParameterSqlParser extends SparkSqlParser {
  protected def tokens(sqlText: String): SqlTokens
}
