package tidegate.snapshot

import tidegate.core.clock.{ClockState, OperatorMark}
import tidegate.preparation.OwnOperators

/**
 * The names of the operators in a checkpoint, by the numbers of their states. The clock knows the
 * numbers only if an operator was given a name; otherwise an operator is found by its kind, and if
 * there are several of its kind, any of their names may be its own.
 *
 * @param states
 *   the number of each state, and Spark's name of its operator
 */
private[snapshot] final class OperatorNames(
    clock: Option[ClockState],
    states: Seq[(Long, String)]
) {
  import OperatorNames._

  private val marks: Map[String, Seq[OperatorMark]] =
    clock.toSeq.flatMap(_.operators).groupMap(_._1.takeWhile(_ != '.'))(_._2)

  private val places: Map[Long, String] =
    clock.toSeq.flatMap(_.places).map { case (name, place) => place.state -> name }.toMap

  private def candidates(id: Long): Seq[String] = places.get(id).map(Seq(_)).getOrElse {
    val kinds = states.filter(_._1 == id).flatMap { case (_, name) =>
      Kinds.getOrElse(name, Seq(name))
    }
    marks.keys.filter(name => kinds.contains(name.replaceFirst("-\\d+$", ""))).toSeq.sorted
  }

  /** As in messages; Spark's own if the clock does not know the operator. */
  def apply(id: Long): String = candidates(id) match {
    case Nil   => states.find(_._1 == id).fold(id.toString)(_._2)
    case names => names.mkString(" or ")
  }

  /** What the clock says of the operator, for each side of a join; nothing if it is not known. */
  def marks(id: Long): Seq[OperatorMark] = candidates(id) match {
    case Seq(one) => marks(one)
    case _        => Nil
  }
}

private object OperatorNames {

  /** What we call Spark's operators, if we call them otherwise. */
  private val OfSpark: Map[String, Seq[String]] = Map(
    // Spark runs `distinct` as an aggregation by all columns.
    "stateStoreSave" -> Seq("aggregate", "distinct"),
    "sessionWindowStateStoreSaveExec" -> Seq("aggregate"),
    "symmetricHashJoin" -> Seq("join"),
    "dedupe" -> Seq("deduplicate"),
    "dedupeWithinWatermark" -> Seq("deduplicateWithinWatermark"),
    "globalLimit" -> Seq("limit"),
    "transformWithStateExec" -> Seq("transformWithState"),
    "transformWithStateInPySparkExec" -> Seq("transformWithStateInPandas")
  )
  private val Kinds: Map[String, Seq[String]] =
    OfSpark ++ OwnOperators.all.map(own => own.kind -> own.names)
}
