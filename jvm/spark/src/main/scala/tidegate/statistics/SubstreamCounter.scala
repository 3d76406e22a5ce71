package tidegate.statistics

import tidegate.core.clock.SubstreamLimit
import tidegate.errors.QueryErrors

/** Counts the substreams of a tree. */
final class SubstreamCounter(limit: SubstreamLimit) {
  private var count = 0

  /** @throws AnalysisException if this exceeds the limit */
  def add(): Unit = {
    count += 1
    if (limit.isExceededBy(count)) throw QueryErrors.tooManySubstreams(limit, count)
  }
}
