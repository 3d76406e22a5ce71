package tidegate

import scala.util.Try

import org.apache.spark.sql.RuntimeConfig
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.execution.datasources.v2.state.StateSourceOptions
import org.apache.spark.sql.internal.SQLConf

/** What one supported Spark has and another has not; asked of the Spark that the tests run on. */
object SparkFeatures {

  /** Whether a join can keep its state in a format of this number. */
  def hasJoinFormat(format: Int): Boolean = Try(
    // The name from the entry: what Spark has not loaded takes any value.
    new SQLConf().setConfString(SQLConf.STREAMING_JOIN_STATE_FORMAT_VERSION.key, format.toString)
  ).isSuccess

  /** Whether Spark's reader of states knows the format that the settings choose. */
  def readsState(conf: RuntimeConfig): Boolean =
    conf.get("spark.sql.streaming.stateStore.checkpointFormatVersion", "1") == "1" ||
      classOf[StateSourceOptions].getDeclaredFields.exists(_.getName.endsWith("UniqueIds"))

  /** Whether Spark's parser reads a statement. */
  def parses(sql: String): Boolean = Try(new SparkSqlParser().parsePlan(sql)).isSuccess

  /** `WATERMARK ... DELAY OF` in a FROM clause: from Spark 4.1 on. */
  lazy val hasWatermarkClause: Boolean =
    parses("SELECT * FROM t WATERMARK time DELAY OF INTERVAL 5 SECONDS")

  /** `STREAM` before a table in a FROM clause; other Sparks read it as the name of a table. */
  lazy val hasStreamKeyword: Boolean =
    new SparkSqlParser().parsePlan("SELECT * FROM STREAM t").exists {
      case t: UnresolvedRelation => t.isStreaming
      case _                     => false
    }

  /** Table functions with the name of a schema before their own: from Spark 4.2 on. */
  lazy val hasQualifiedTableFunctions: Boolean = parses("SELECT * FROM a.f(1)")

  /** `QUALIFY` behind the FROM clause: from Spark 4.2 on. */
  lazy val hasQualify: Boolean =
    parses("SELECT n FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY n) = 1")
}
