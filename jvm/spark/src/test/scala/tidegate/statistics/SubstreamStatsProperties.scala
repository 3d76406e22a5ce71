package tidegate.statistics

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** What the driver learns of a batch whose rows are read by tasks, some of them more than once. */
class SubstreamStatsProperties extends AnyFunSuite {

  private def readByTasks(rows: Seq[(Long, Long)], random: Random): SubstreamStats = {
    val onDriver = new SubstreamStats(Long.MaxValue)
    val tasks = rows.groupBy(_ => random.nextInt(4)).values.map { part =>
      val task = onDriver.copyAndReset()
      part.foreach { case (name, micros) => task.observe(task.root.of(name), micros, 0) }
      task
    }
    // The tasks of an executor that is lost run again on another one.
    val again = tasks.filter(_ => random.nextInt(3) == 0)
    random.shuffle(tasks ++ again).foreach(onDriver.merge)
    onDriver
  }

  test("property: executors that are lost and regained, and partitions that move, change nothing") {
    (1 to 3000).foreach { seed =>
      val random = new Random(seed)
      val rows = Seq.fill(random.nextInt(12))(random.nextLong(5) -> random.nextLong(40000) * 1000L)
      val expected = rows.groupMapReduce(_._1.toString)(_._2)(math.max)
      assert(readByTasks(rows, random).value === expected, s"seed $seed")
    }
  }
}
