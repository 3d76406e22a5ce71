package tidegate.clock

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

/** How many lines a minute go to the log. */
class LineLimitSuite extends AnyFunSuite {
  private val Minute = 60000L

  test("so many lines a minute; then the number of the others, once") {
    val limit = new LineLimit(2)
    val told = mutable.Buffer.empty[Long]
    def admitted(atMs: Long*): Seq[Boolean] = atMs.map(limit.admits(_)(told += _))
    assert(admitted(0, 1, 2, 3, Minute - 1) === Seq(true, true, false, false, false))
    assert(told.isEmpty)
    assert(admitted(Minute, Minute + 1, Minute + 2) === Seq(true, true, false))
    assert(told.toSeq === Seq(3))
    assert(admitted(10 * Minute, 20 * Minute) === Seq(true, true))
    assert(told.toSeq === Seq(3, 1))
  }

  test("a clock that goes back begins a minute") {
    val limit = new LineLimit(1)
    val told = mutable.Buffer.empty[Long]
    val admitted = Seq(5 * Minute, 5 * Minute, 0, 1).map(limit.admits(_)(told += _))
    assert(admitted === Seq(true, false, true, false))
    assert(told.toSeq === Seq(1))
  }
}
