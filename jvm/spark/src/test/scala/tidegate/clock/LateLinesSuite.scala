package tidegate.clock

import scala.collection.mutable

import org.apache.spark.sql.tidegate.LogLine
import org.scalatest.funsuite.AnyFunSuite
import tidegate.statistics.LateRows

/** Which late rows get a line in the log, minute by minute. */
class LateLinesSuite extends AnyFunSuite {
  private val Minute = 60000L

  private final class Log(perMinute: Int) {
    private val said = mutable.Buffer.empty[String]
    private val lines = new LateLines("orders", perMinute, line => said += line.text)

    /** Rows that an operator drops in a batch; they are called a, b, c and so on. */
    def drop(operator: String, rows: Int, atMs: Long, note: Option[String] = None): this.type = {
      val late = new LateRows(note)
      val pass = late.begin(partition = 0)
      (0 until rows).foreach(i => pass.drop(LogLine(('a' + i).toChar.toString)))
      lines.tick(atMs)
      lines.add(operator, late, atMs)
      this
    }

    /** A row that misses so many of its windows. */
    def partly(operator: String, windows: Long, atMs: Long): this.type = {
      val late = new LateRows
      late.begin(partition = 0).addPartly(windows)
      lines.add(operator, late, atMs)
      this
    }

    def tick(atMs: Long): this.type = {
      lines.tick(atMs)
      this
    }

    def end(): this.type = {
      lines.end()
      this
    }

    def take(): Seq[String] = {
      val now = said.toSeq
      said.clear()
      now
    }
  }

  private def others(counts: String) =
    s"Events dropped as late without a line of their own: $counts, query=orders"

  test("a few rows have a line each, and nothing follows") {
    val log = new Log(20)
    assert(log.drop("aggregate", 2, 0).take() === Seq("a", "b"))
    assert(log.tick(Minute).end().take() === Nil)
  }

  test("rows that are late for a part of their windows are counted when the minute is over") {
    val log = new Log(20)
    assert(log.partly("aggregate", 3, 0).partly("b", 1, 1).take() === Nil)
    assert(
      log.tick(Minute).take() === Seq(
        "Late for a part of their windows: 1 row, which misses 3 windows, operator=aggregate, query=orders",
        "Late for a part of their windows: 1 row, which misses 1 window, operator=b, query=orders"
      )
    )
    assert(log.tick(2 * Minute).end().take() === Nil)
  }

  test("rows that no task has kept are counted when the minute is over") {
    val log = new Log(20)
    assert(log.drop("aggregate", 1000000, 500).take() === Seq("a", "b", "c"))
    assert(log.tick(499 + Minute).take() === Nil)
    assert(log.tick(500 + Minute).take() === Seq(others("aggregate=999997")))
    assert(log.tick(500 + 2 * Minute).end().take() === Nil)
  }

  test("no more lines in a minute than allowed; the next minute has lines again") {
    val log = new Log(4)
    assert(log.drop("aggregate", 3, 0).take() === Seq("a", "b", "c"))
    assert(log.drop("join.left", 3, 1000).take() === Seq("a"))
    assert(log.drop("aggregate", 3, 2000).take() === Nil)
    assert(
      log.drop("aggregate", 2, Minute).take() === Seq(others("aggregate=3, join.left=2"), "a", "b")
    )
    assert(log.tick(2 * Minute).take() === Nil)
  }

  test("a minute begins with its first late row") {
    val log = new Log(1)
    log.tick(0).tick(50000)
    assert(log.drop("aggregate", 2, 59000).take() === Seq("a"))
    assert(log.tick(Minute).take() === Nil)
    assert(log.drop("aggregate", 1, 118999).take() === Nil)
    assert(log.drop("aggregate", 1, 119000).take() === Seq(others("aggregate=2"), "a"))
  }

  test("with no lines there is the count alone") {
    val log = new Log(0)
    assert(log.drop("aggregate", 2, 0).take() === Nil)
    assert(log.tick(Minute).take() === Seq(others("aggregate=2")))
  }

  test("the end of a query tells what is left") {
    assert(new Log(1).drop("aggregate", 5, 0).end().take() === Seq("a", others("aggregate=4")))
    assert(new Log(1).end().take() === Nil)
  }

  test("a clock that goes back ends the minute") {
    val log = new Log(1)
    assert(log.drop("aggregate", 2, 500 * Minute).take() === Seq("a"))
    assert(log.drop("aggregate", 1, 0).take() === Seq(others("aggregate=1"), "a"))
  }

  test("a note is given once for each operator, with its first late rows") {
    val log = new Log(1)
    def drop(operator: String, rows: Int) =
      log.drop(operator, rows, 0, Some(s"of $operator")).take()
    assert(drop("apply", 0) === Nil)
    assert(drop("apply", 1) === Seq("of apply", "a"))
    assert(drop("apply", 1) === Nil)
    assert(drop("apply-2", 1) === Seq("of apply-2"))
  }

  test("a batch without late rows begins no minute") {
    val log = new Log(1)
    log.drop("aggregate", 0, 0)
    assert(log.drop("aggregate", 1, 59000).drop("aggregate", 1, Minute).take() === Seq("a"))
  }
}
