package tidegate.own.sessions

/**
 * Which sessions of a query Tidegate merges itself.
 *
 * @param gapsMicros
 *   the gap of those sessions, by the name of their operator
 * @param against
 *   why the sessions of an operator keep Spark's plan, by the name of the operator
 * @param againstAll
 *   why all do, also those of an operator that has no name because it keeps late rows
 */
final case class SessionDecisions(
    gapsMicros: Map[String, Long],
    against: Map[String, String],
    againstAll: Option[String]
)
