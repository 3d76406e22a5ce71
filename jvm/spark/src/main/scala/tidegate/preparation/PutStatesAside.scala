package tidegate.preparation

import org.apache.spark.internal.Logging
import tidegate.clock.StateCheckpoint
import tidegate.operators.StatefulOperators
import tidegate.plans.{
  DeduplicateByTime,
  FrameAggregate,
  IntervalJoin,
  PreparedQuery,
  SessionAggregate
}

/**
 * Puts aside the states that a first batch has left behind which failed, if a setting or the output
 * mode was changed before the batch was tried again, so that the query has other operators now.
 */
private[preparation] object PutStatesAside extends Logging {

  def apply(query: PreparedQuery, checkpoint: StateCheckpoint): Unit =
    checkpoint.putAside(numbers(query), isExchanged).toSeq.sortBy(_._1).foreach { case (id, kind) =>
      logInfo(
        s"The state of `$kind` with the number $id was put aside, into `state.unused`: it is of a " +
          "first batch that failed, and the query has other operators since."
      )
    }

  /** Our own operators, and those of Spark that a setting gives in their place. */
  private val exchanged = Set(
    FrameAggregate.StateName -> "stateStoreSave",
    SessionAggregate.StateName -> "sessionWindowStateStoreSaveExec",
    DeduplicateByTime.StateName -> "dedupe",
    DeduplicateByTime.StateName -> "dedupeWithinWatermark",
    IntervalJoin.StateName -> "symmetricHashJoin"
  )

  private def isExchanged(before: String, now: String): Boolean =
    exchanged(before -> now) || exchanged(now -> before)

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
