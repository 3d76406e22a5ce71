package tidegate.statistics

/** Counts the substreams of a tree. */
final class SubstreamCounter(limit: SubstreamLimit) {
  private var count = 0

  def add(): Unit = {
    count += 1
    limit.check(count)
  }
}
