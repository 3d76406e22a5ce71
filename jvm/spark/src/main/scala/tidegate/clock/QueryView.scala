package tidegate.clock

import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.SparkInternals
import org.json4s.JsonAST.{JBool, JField, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.compact
import tidegate.errors.QueryErrors
import tidegate.plans.KeyedWatermark

/**
 * What a user may see of a query's watermarks, running or ended.
 *
 * @param eventTimes
 *   the event time columns, by the name of the watermark
 */
private[tidegate] final case class QueryView(clock: ClockView, eventTimes: Map[String, String]) {

  /** As JSON, by the name of the node or operator; watermarks in epoch ms. */
  def json: String = {
    val nodes = clock.nodes.toList.sortBy(_._1).map { case (name, n) =>
      JField(name, nodeJson(n, eventTimes(name)))
    }
    val operators = clock.operators.toList.sortBy(_._1).map { case (name, o) =>
      JField(name, operatorJson(o))
    }
    compact(JObject(nodes ++ operators))
  }

  private def nodeJson(node: NodeView, eventTime: String): JObject = JObject(
    "kind" -> JString("watermark"),
    "key" -> JInt(node.mark.key.toInt),
    "watermark" -> optional(node.mark.watermarkMs),
    "heldBackBy" -> node.heldBackBy.fold[JValue](JNull)(JString(_)),
    "idle" -> JBool(node.mark.idle),
    "eventTime" -> JString(eventTime),
    "futureEvents" -> JInt(node.futureEvents),
    "substreams" -> JObject(node.substreams.toList.sortBy(_._1).map { case (substream, s) =>
      JField(substream, JObject("watermark" -> optional(s.watermarkMs), "idle" -> JBool(s.idle)))
    })
  )

  private def operatorJson(operator: OperatorView): JObject = JObject(
    "kind" -> JString("operator"),
    "key" -> JInt(operator.mark.key.toInt),
    "watermark" -> optional(operator.mark.watermarkMs),
    "heldBackBy" -> JString(operator.heldBackBy),
    "evictionWatermark" -> optional(operator.mark.evictionMs),
    "evictionHeldBackBy" -> operator.evictionHeldBackBy.fold[JValue](JNull)(JString(_)),
    "idle" -> JBool(operator.mark.idle),
    "eventTime" -> JString(operator.eventTime),
    "lateRows" -> JInt(operator.lateRows)
  )

  private def optional(ms: Option[Long]): JValue = ms.fold[JValue](JNull)(JInt(_))
}

private[tidegate] object QueryView {

  /** @throws AnalysisException if the query has no keyed watermark, or no plan */
  def of(query: StreamingQuery): QueryView = of(running(query))

  def of(run: RunningQuery): QueryView = QueryView(
    run.clock.view,
    run.nodes.map((n: KeyedWatermark) => n.spec.name -> n.eventTime.name).toMap
  )

  /** @throws AnalysisException if the query has no keyed watermark, or no plan */
  private[clock] def running(query: StreamingQuery): RunningQuery = {
    val name = Option(query.name).getOrElse(query.id.toString)
    SparkInternals.execution(query) match {
      case None if SparkInternals.isMicroBatch(query) =>
        throw QueryErrors.queryWithoutPlan(name, query.isActive, query.exception)
      case execution =>
        execution.flatMap(RunningQuery.of).getOrElse(throw QueryErrors.notTidegateQuery(name))
    }
  }
}
