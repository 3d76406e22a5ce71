package tidegate.preparation

import org.apache.spark.internal.Logging
import tidegate.clock.StateCheckpoint
import tidegate.operators.StatefulOperators
import tidegate.plans.PreparedQuery

/**
 * Puts aside the states that a first batch has left behind which failed, if a setting or the output
 * mode was changed before the batch is tried again, so that the query has other operators now.
 */
private[preparation] object PutStatesAside extends Logging {

  def apply(query: PreparedQuery, checkpoint: StateCheckpoint): Unit =
    checkpoint.putAside(numbers(query)).foreach { id =>
      logInfo(
        s"The state with the number $id was put aside, into `state.unused`: it is of a first batch " +
          "that failed, and the query has other operators now."
      )
    }

  /**
   * Under which numbers the operators of the query keep their states. Spark counts its own, also
   * those with names.
   */
  private def numbers(query: PreparedQuery): Set[Long] = {
    val (own, ofSpark) = RestoredOperators.byKind(query.child, query.decisions.own)
    own.flatMap(_._2).map(owner => StatefulOperators.ownId(query.child, owner.name)).toSet ++
      ofSpark.indices.map(_.toLong)
  }
}
