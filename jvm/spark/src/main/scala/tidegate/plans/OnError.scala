package tidegate.plans

/** What happens with a row whose call has failed for good. */
sealed trait OnError

object OnError {

  /** The query fails. */
  case object Fail extends OnError

  /** The row leaves, with null in the columns that the input does not have. */
  case object Null extends OnError

  /** The row is written to a folder, and does not leave. */
  case object DeadLetter extends OnError

  private val byName: Map[String, OnError] =
    Map("fail" -> Fail, "null" -> Null, "dead letter" -> DeadLetter)

  /** Their names in the order of the documentation. */
  val names: Seq[String] = Seq("fail", "null", "dead letter")

  /** The one with a name. */
  def of(name: String): Option[OnError] = byName.get(name)
}
