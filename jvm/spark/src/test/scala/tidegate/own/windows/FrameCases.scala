package tidegate
package own.windows

import scala.util.Random

/**
 * Some batches, a file each; when all are read, the query is stopped.
 *
 * @param kill
 *   a batch that fails when its rows have been put out, once
 * @param forgets
 *   its offset is taken away then: as if killed between two batches
 */
final case class FrameStage(files: Seq[Seq[SentRow]], kill: Option[Long], forgets: Boolean) {
  override def toString: String =
    s"${files.size} files" + kill.fold("")(" killed in batch " + _) +
      (if (kill.isDefined && forgets) " before its offset" else "")
}

/**
 * How a query is run.
 *
 * @param step
 *   every advance of the watermark is visible, not only those that close a window
 * @param wholeStage
 *   whether Spark generates code for whole stages
 */
final case class FrameRun(
    stages: Seq[FrameStage],
    lagMs: Long,
    step: Boolean,
    zone: String,
    partitions: Int,
    wholeStage: Boolean
) {
  def files: Seq[Seq[SentRow]] = stages.flatMap(_.files)

  override def toString: String =
    s"lag $lagMs ms, ${if (step) "every step" else "by frame"}, $zone, $partitions partitions, " +
      s"${if (wholeStage) "whole stages" else "no whole stages"}, ${stages.mkString(", ")}"
}

/** Random aggregations and random rows for them. */
final class FrameCases(random: Random) {
  private def oneOf[T](values: T*): T = values(random.nextInt(values.size))

  private def chance(percent: Int): Boolean = random.nextInt(100) < percent

  private def maybe[T](percent: Int, values: Seq[T]): Option[T] =
    Option.when(chance(percent))(oneOf(values: _*))

  def query(): FrameCase = {
    val slideMs = oneOf(500L, 1000L, 3000L, 7000L, 10000L, 60000L)
    val grows = chance(30)
    val inSql = grows || random.nextBoolean()
    // Spark wants an offset below the slide.
    val offsets = if (inSql) Seq(0L, 500L, -1L, slideMs * 3 + 7, -slideMs) else Seq(0L, 200L, -1L)
    FrameCase(
      slideMs * oneOf(1, 1, 2, 2, 3, 4, 5, 12, if (inSql) 60 else 20),
      slideMs,
      oneOf(offsets: _*),
      oneOf(KeyCase.all: _*),
      aggregates(),
      maybe(25, FrameCase.conditions),
      maybe(25, FrameCase.havings),
      grows,
      inSql
    )
  }

  /** Often of one kind only: the kind decides by which plan Spark aggregates. */
  private def aggregates(): Seq[AggregateCase] = {
    val from = oneOf(AggregateCases.modelled, AggregateCases.all, AggregateCases.all)
    random.shuffle(from).take(1 + random.nextInt(9))
  }

  def run(query: FrameCase): FrameRun = {
    val batches = new FrameRows(random, query).batches(3 + random.nextInt(4))
    val cut = if (chance(40)) 1 + random.nextInt(batches.size - 1) else 0
    val stages = Seq(batches.take(cut) -> 0, batches.drop(cut) -> cut)
    FrameRun(
      stages.filter(_._1.nonEmpty).map { case (files, first) =>
        val kill = Option.when(chance(25))(first.toLong + random.nextInt(files.size))
        FrameStage(files, kill, random.nextBoolean())
      },
      oneOf(0L, query.slideMs, query.sizeMs / 2, query.sizeMs * 2),
      chance(40),
      oneOf("UTC", "America/St_Johns", "Asia/Kathmandu"),
      oneOf(1, 1, 1, 2),
      random.nextBoolean()
    )
  }
}

/** Random rows: their times go forward in steps and jumps, and back by some windows. */
private final class FrameRows(random: Random, query: FrameCase) {
  private val hourMs = 3600000L
  private val origins = Seq(-4 * query.sizeMs, query.sizeMs, 1700000000000L, -5 * hourMs)
  private var now = {
    val origin = origins(random.nextInt(origins.size))
    Map("a" -> origin, "b" -> origin)
  }
  private var id = 0
  private val lagging = random.nextInt(3) == 0

  /** The last rows are so late that all windows of the others close. */
  def batches(n: Int): Seq[Seq[SentRow]] = {
    val some = (0 until n).map(i => if (random.nextInt(6) == 0) Nil else batch(i, n))
    now = now.map { case (sub, _) => sub -> (now.values.max + 30 * hourMs) }
    some :+ now.keys.toSeq.sorted.map(row(_, 0L))
  }

  private def batch(i: Int, n: Int): Seq[SentRow] = {
    val jumps = random.nextInt(8) == 0
    Seq("a", "b").flatMap { sub =>
      val isHeld = lagging && sub == "b" && i > 0 && i < n - 1
      if (!isHeld) {
        val stepMs = random.nextLong(2 * query.sizeMs)
        val next = now(sub) + (if (jumps) hourMs else stepMs)
        // Often on the grid: then the watermark is where a window ends.
        now += sub -> (if (random.nextBoolean()) next else onGrid(next * 1000) / 1000)
      }
      Seq.fill(random.nextInt(7))(row(sub, backMs))
    }
  }

  private def backMs: Long = random.nextInt(5) match {
    case 0     => 0L
    case 1 | 2 => random.nextLong(query.slideMs * 2)
    case 3     => random.nextLong(query.sizeMs * 2)
    case _     => random.nextLong(query.sizeMs * 4)
  }

  private def onGrid(micros: Long): Long =
    micros - Math.floorMod(micros - query.offsetMs * 1000, query.slideMs * 1000)

  private def row(sub: String, backMs: Long): SentRow = {
    id += 1
    val micros = (now(sub) - backMs) * 1000 + random.nextInt(2) * random.nextInt(1000)
    val time = random.nextInt(12) match {
      case 0     => None
      case 1 | 2 => Some(onGrid(micros))
      case 3     => Some(onGrid(micros) - 1)
      case _     => Some(micros)
    }
    val k = Seq(None, Some("a"), Some("b"), Some("c"))(random.nextInt(4))
    val n = Option.when(random.nextInt(6) > 0)(random.nextInt(9) - 3)
    SentRow(id, sub, time, k, n)
  }
}
