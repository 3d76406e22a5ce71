package tidegate.clock

import java.util.UUID

import org.apache.spark.sql.streaming.StreamingQuery

/** How a run of a query is named: by the user, for all runs on its checkpoint, and for itself. */
private[tidegate] final case class QueryIds(name: Option[String], id: UUID, runId: UUID) {

  /** The name of the query, or its id if it has none. */
  def label: String = name.getOrElse(id.toString)

  /** Whether a text is the name or one of the ids. */
  def matches(text: String): Boolean =
    name.contains(text) || Seq(id, runId).exists(_.toString.equalsIgnoreCase(text))
}

private[tidegate] object QueryIds {

  def of(query: StreamingQuery): QueryIds =
    QueryIds(Option(query.name), query.id, query.runId)
}
