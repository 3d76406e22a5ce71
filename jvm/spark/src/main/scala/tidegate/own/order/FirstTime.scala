package tidegate.own.order

import tidegate.statistics.DueTimes

/** The earliest time among the rows that wait, as far as a batch comes to know it. */
private[order] final class FirstTime {

  /** In µs; `DueTimes.Never` before any. */
  var micros: Long = DueTimes.Never

  /** Whether this is so for all rows that wait; if not, those of earlier batches are unknown. */
  var isOfAll: Boolean = false

  def see(time: Long): Unit = micros = math.min(micros, time)

  /** From here on every row that waits is seen. */
  def seeAll(): Unit = {
    micros = DueTimes.Never
    isOfAll = true
  }
}
