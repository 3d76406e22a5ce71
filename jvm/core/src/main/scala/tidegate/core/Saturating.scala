package tidegate.core

/** Arithmetic on times that stops at the bounds of `Long` instead of wrapping around. */
private[tidegate] object Saturating {

  def add(left: Long, right: Long): Long = {
    val sum = left + right
    if (((left ^ sum) & (right ^ sum)) < 0) bound(left) else sum
  }

  def subtract(left: Long, right: Long): Long = {
    val difference = left - right
    if (((left ^ right) & (left ^ difference)) < 0) bound(left) else difference
  }

  private def bound(left: Long): Long = if (left < 0) Long.MinValue else Long.MaxValue
}
