package tidegate.clock

import scala.util.Try

import tidegate.core.clock.{BatchTimes, ClockTimes}

/**
 * The watermarks of one batch of a query, as its plan sees them: those of the offset log, until the
 * rows of the batch move time within it.
 *
 * @param planned
 *   as the offset log has them
 * @param mayMove
 *   whether the batch may find out something that moves time: a source has something to read, or
 *   the clock looks whether none has
 * @param known
 *   the watermarks to which an earlier run of the batch has come within it: tasks of that run may
 *   have used them, and the next batch goes on from them, so the batch has them whatever closes now
 * @param clockStep
 *   lets the clock step, and writes to the checkpoint how far; `None` if no operator moves
 */
private[tidegate] final class RunningBatch private[tidegate] (
    planned: BatchTimes,
    val mayMove: Boolean,
    known: Option[ClockTimes],
    clockStep: () => Option[ClockTimes]
) {
  private var result = Option.empty[Try[Option[ClockTimes]]]
  @volatile private var shown = known.fold(planned)(planned.within)

  /** The watermarks as they are now. */
  def times: BatchTimes = shown

  /**
   * Lets the rows of the batch move time, when all of them were seen. Only the first call does:
   * whatever runs again, and however often, the batch has the same watermarks.
   *
   * @throws Exception
   *   what the first call threw, each time
   */
  def step(): Unit = synchronized {
    val stepped = result.getOrElse {
      val first = Try(clockStep())
      result = Some(first)
      first
    }
    stepped.get.foreach(times => shown = planned.within(times))
  }
}
