package tidegate.snapshot

import java.sql.Timestamp
import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.json4s.JsonAST.{JArray, JBool, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.compact

/**
 * A part of a query, as a checkpoint or a snapshot has it.
 *
 * @param stage
 *   its name
 * @param kind
 *   `watermark`, `substream`, `operator` or `source`
 * @param of
 *   the watermark of a substream; empty for other kinds
 * @param watermark
 *   of an operator, the one that decides which rows leave its state
 * @param idle
 *   whether a watermark is idle
 * @param keys
 *   the columns by which an operator finds its state
 * @param rows
 *   the rows in the state of an operator
 * @param bytes
 *   the size of its files
 * @param detail
 *   the policy of a watermark, the schema and the windows of an operator, the offset of a source
 */
final case class InspectedStage(
    stage: String,
    kind: String,
    of: Option[String] = None,
    watermark: Option[Instant] = None,
    idle: Option[Boolean] = None,
    keys: Option[String] = None,
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    detail: String = ""
)

/**
 * What a snapshot or a checkpoint holds.
 *
 * @param query
 *   the name of the query, or else its id
 * @param batchId
 *   the last committed batch
 * @param begun
 *   the batch after it, if the batch was begun
 * @param batchTime
 *   the wall clock when the last committed batch began
 * @param exportedAt
 *   when the snapshot was exported; `None` for a checkpoint
 */
final case class Inspection(
    path: String,
    query: String,
    queryId: String,
    batchId: Long,
    begun: Option[Long],
    batchTime: Instant,
    exportedAt: Option[Instant],
    stages: Seq[InspectedStage]
) {

  /** As JSON on one line; times in epoch ms. */
  def json: String = compact(
    JObject(
      "path" -> JString(path),
      "query" -> JString(query),
      "queryId" -> JString(queryId),
      "batch" -> JInt(batchId),
      "begun" -> number(begun),
      "batchTime" -> JInt(batchTime.toEpochMilli),
      "exportedAt" -> number(exportedAt.map(_.toEpochMilli)),
      "stages" -> JArray(stages.map(json).toList)
    )
  )

  private def json(s: InspectedStage): JValue = JObject(
    "stage" -> JString(s.stage),
    "kind" -> JString(s.kind),
    "of" -> text(s.of),
    "watermark" -> number(s.watermark.map(_.toEpochMilli)),
    "idle" -> s.idle.fold[JValue](JNull)(JBool(_)),
    "keys" -> text(s.keys),
    "rows" -> number(s.rows),
    "bytes" -> number(s.bytes),
    "detail" -> JString(s.detail)
  )

  private def number(n: Option[Long]): JValue = n.fold[JValue](JNull)(JInt(_))

  private def text(s: Option[String]): JValue = s.fold[JValue](JNull)(JString(_))

  /** The stages, a row each. */
  def toDF(session: SparkSession): DataFrame = session.createDataFrame(
    stages.map { s =>
      Row(
        s.stage,
        s.kind,
        s.of.orNull,
        s.watermark.map(Timestamp.from).orNull,
        s.idle.map(Boolean.box).orNull,
        s.keys.orNull,
        s.rows.map(Long.box).orNull,
        s.bytes.map(Long.box).orNull,
        s.detail
      )
    }.asJava,
    Inspection.Schema
  )
}

object Inspection {
  private[tidegate] val Schema: StructType = StructType.fromDDL(
    "stage STRING, kind STRING, of STRING, watermark TIMESTAMP, idle BOOLEAN, keys STRING, " +
      "rows LONG, bytes LONG, detail STRING"
  )
}
