package tidegate

import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.SparkInternals
import org.json4s.JsonAST.{JBool, JField, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.compact
import tidegate.clock.{ClockView, RunningQuery}
import tidegate.plans.KeyedWatermark

/** What a user may see of a query's watermarks, running or ended. */
private[tidegate] object QueryWatermarks {

  /** @throws AnalysisException if the query has no keyed watermark */
  def view(query: StreamingQuery): ClockView = running(query).clock.view

  /** As JSON, by node name; watermarks in epoch ms. */
  def json(query: StreamingQuery): String = {
    val run = running(query)
    val eventTimes = run.nodes.map((n: KeyedWatermark) => n.spec.name -> n.eventTime.name).toMap
    compact(JObject(run.clock.view.nodes.toList.sortBy(_._1).map { case (name, node) =>
      val substreams = node.substreams.toList.sortBy(_._1).map { case (substream, s) =>
        JField(substream, JObject("watermark" -> optional(s.watermarkMs), "idle" -> JBool(s.idle)))
      }
      JField(
        name,
        JObject(
          "key" -> JInt(node.mark.key.toInt),
          "watermark" -> optional(node.mark.watermarkMs),
          "idle" -> JBool(node.mark.idle),
          "eventTime" -> JString(eventTimes(name)),
          "futureEvents" -> JInt(node.futureEvents),
          "substreams" -> JObject(substreams)
        )
      )
    }))
  }

  private def optional(ms: Option[Long]): JValue = ms.fold[JValue](JNull)(JInt(_))

  private def running(query: StreamingQuery): RunningQuery =
    SparkInternals.execution(query).flatMap(RunningQuery.of).getOrElse {
      throw TidegateErrors.notTidegateQuery(Option(query.name).getOrElse(query.id.toString))
    }
}
