package tidegate.statistics

import org.apache.spark.sql.tidegate.LogLine
import org.scalatest.funsuite.AnyFunSuite

/** What the driver learns of the late rows of an operator. */
class LateRowsSuite extends AnyFunSuite {

  /** A task that reads partitions of the operator, each given with its number of late rows. */
  private def task(partitions: (Int, Int)*): LateRows = {
    val inTask = new LateRows
    partitions.foreach { case (partition, rows) =>
      val pass = inTask.begin(partition)
      (1 to rows).foreach(i => pass.drop(LogLine(s"$partition/$i")))
    }
    inTask
  }

  private def onDriver(tasks: LateRows*): LateRows = {
    val driver = new LateRows
    tasks.foreach(driver.merge)
    driver
  }

  test("the partitions of a batch are added") {
    assert(onDriver(task(0 -> 2), task(1 -> 3)).value === 5)
    assert(onDriver(task(0 -> 2, 1 -> 3)).value === 5, "in one task, as after coalesce")
  }

  test("a partition that is read again counts once") {
    assert(onDriver(task(0 -> 2), task(0 -> 2)).value === 2)
    assert(task(0 -> 2, 0 -> 2).value === 2, "twice in one task")
    assert(onDriver(task(0 -> 2), task(1 -> 3), task(0 -> 2, 1 -> 3)).value === 5)
  }

  test("a partition that was read in part counts with the longest part") {
    assert(onDriver(task(0 -> 1), task(0 -> 4), task(0 -> 2)).value === 4)
    assert(task(0 -> 4, 0 -> 1).value === 4)
  }

  test("two passes at the same time do not mix") {
    val inTask = new LateRows
    val (one, other) = (inTask.begin(0), inTask.begin(1))
    one.drop(LogLine("0/1"))
    other.drop(LogLine("1/1"))
    one.drop(LogLine("0/2"))
    assert(inTask.value === 3)
    assert(inTask.samples.map(_.text) === Seq("0/1", "0/2", "1/1"))
  }

  test("a pass without late rows is nothing") {
    assert(task(0 -> 0).isZero)
    assert(!task(0 -> 1).isZero)
    assert(onDriver(task(0 -> 0)).isZero)
  }

  test("a row that is read again is no second sample") {
    assert(onDriver(task(0 -> 1), task(0 -> 1)).samples.map(_.text) === Seq("0/1"))
    assert(onDriver(task(0 -> 1), task(0 -> 2)).samples.map(_.text) === Seq("0/1", "0/2"))
  }

  test("the samples of a few partitions are kept") {
    val driver = onDriver((0 until 1000).map(i => task(i -> 5)): _*)
    assert(driver.value === 5000)
    assert(driver.samples.map(_.text) === Seq("0/1", "0/2", "0/3"))
  }

  test("text is made for the samples alone") {
    val pass = new LateRows().begin(0)
    var made = 0
    (1 to 1000).foreach { i =>
      pass.drop {
        made += 1
        LogLine(s"row $i")
      }
    }
    assert(made === LateRows.MaxSamples)
  }

  test("by how much rows were late: a partition that is read again counts once") {
    def inTask(ms: Long*): LateRows = {
      val late = new LateRows
      val pass = late.begin(0)
      ms.foreach { one =>
        pass.drop(LogLine(""))
        pass.lateness.of("b").add(one)
      }
      late
    }
    val Some(found) = onDriver(inTask(5), inTask(5, 900), inTask(5)).lateness.figures: @unchecked
    assert((found.all.rows, found.all.maxMs) === ((2L, 900L)))
    assert(found.substreams.keySet === Set("b"))
  }

  test("the driver keeps by how much rows were late for some partitions") {
    val driver = onDriver((0 until 1000).map { i =>
      val late = new LateRows
      val pass = late.begin(i)
      pass.drop(LogLine(""))
      pass.lateness.others.add(1)
      late
    }: _*)
    assert(driver.lateness.others.rows === LateRows.MaxLatenesses)
  }
}
