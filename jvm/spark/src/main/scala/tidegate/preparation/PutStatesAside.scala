package tidegate.preparation

import org.apache.spark.internal.Logging
import tidegate.clock.StateCheckpoint
import tidegate.operators.StatefulOperators
import tidegate.plans.PreparedQuery

/**
 * Puts aside the states that a first batch has left behind which failed, if a setting or the output
 * mode was changed before the batch was tried again, so that the query has other operators now.
 */
private[preparation] object PutStatesAside extends Logging {

  def apply(query: PreparedQuery, checkpoint: StateCheckpoint): Unit =
    checkpoint.putAside(numbers(query)).toSeq.sortBy(_._1).foreach { case (id, kind) =>
      logInfo(
        s"The state of `$kind` with the number $id was put aside, into `state.unused`: it is of a " +
          "first batch that failed, and the query has other operators since."
      )
    }

  /** Under which numbers the operators of the query keep their states. */
  private def numbers(query: PreparedQuery): Set[Long] = {
    val places = query.decisions.time.places
    val (own, ofSpark) = RestoredOperators.byKind(query.child, query.decisions.own)
    if (places.nonEmpty) places.values.map(_.state).toSet
    else
      own.flatMap(_._2).map(owner => StatefulOperators.ownId(query.child, owner.name)).toSet ++
        ofSpark.indices.map(_.toLong)
  }
}
