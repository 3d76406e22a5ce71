package tidegate

import org.apache.spark.sql.streaming.StreamingQuery
import tidegate.clock.QueryView

/**
 * The watermarks of a query, and of its stateful operators.
 *
 * @param watermarks
 *   the keyed watermarks, by the name that they were given
 * @param operators
 *   the stateful operators, by names such as `aggregate`. A join has one for each side, `join.left`
 *   and `join.right`
 */
final case class QueryWatermarks(
    watermarks: Map[String, WatermarkStatus],
    operators: Map[String, OperatorStatus]
)

object QueryWatermarks {

  private[tidegate] def of(query: StreamingQuery): QueryWatermarks = {
    val view = QueryView.of(query)
    QueryWatermarks(
      view.clock.nodes.map { case (name, node) =>
        name -> WatermarkStatus.of(node, view.eventTimes(name))
      },
      view.clock.operators.map { case (name, operator) => name -> OperatorStatus.of(operator) }
    )
  }
}
