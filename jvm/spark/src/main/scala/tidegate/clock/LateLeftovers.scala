package tidegate.clock

import scala.collection.mutable

/** What earlier runs of a query have left in the folders of late rows. */
private[tidegate] final class LateLeftovers {
  private val removed = mutable.Set.empty[String]

  /**
   * Removes what is left of an operator, before this run has written anything of it: only at the
   * first call, and others wait for its end.
   */
  def once(operator: String)(remove: => Unit): Unit = synchronized {
    if (!removed(operator)) {
      remove
      removed += operator
    }
  }
}
