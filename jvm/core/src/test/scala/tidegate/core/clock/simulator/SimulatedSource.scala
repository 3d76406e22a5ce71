package tidegate.core.clock.simulator

import scala.util.Random

import tidegate.core.clock.{NodeSpec, SubstreamClock}

/** The source under a watermark node: substreams that have rows at random, and report at random. */
private[simulator] final class SimulatedSource(
    random: Random,
    node: NodeSpec,
    hasFarTimes: Boolean
) {
  private val known = 1 + random.nextInt(4)
  private val reports = random.nextInt(8) > 0

  /** By part, whether there is more than was read. */
  private var parts = Map.empty[String, Boolean]
  private var hasMore = false

  /** What the source reports of its parts; the same object as long as nothing changes. */
  def unread: Option[Map[String, Boolean]] = if (reports && parts.nonEmpty) Some(parts) else None

  def isReadUp: Boolean = if (node.hasParts && reports) !parts.exists(_._2) else !hasMore

  /** Reads all that is left, without a row for the node: something filters them below the node. */
  def readUp(): Unit = {
    hasMore = false
    report(parts.map { case (name, _) => name -> false })
  }

  /** The rows of the next batch, with their times in µs. */
  def read(wallMs: Long): Map[String, Seq[Long]] = {
    hasMore = random.nextInt(4) == 0
    val speaking = names().filter(_ => random.nextInt(5) < 2)
    if (node.hasParts) {
      val gone = parts.keys.toSeq.sorted.filter(_ => random.nextInt(40) == 0)
      val silent = (0 until known).map(i => s"s$i").filter(_ => random.nextInt(4) == 0)
      val there = parts -- gone ++ (silent ++ speaking).map(_ -> false)
      report(there.map { case (name, _) => name -> (random.nextInt(5) == 0) })
    }
    speaking.map(name => name -> Seq.fill(1 + random.nextInt(3))(timeUs(wallMs))).toMap
  }

  private def report(now: Map[String, Boolean]): Unit = if (now != parts) parts = now

  /** Now and then a name that was never there, as that of a file. */
  private def names(): Seq[String] = {
    val files = if (random.nextInt(10) == 0) Seq(s"file${random.nextInt(1000)}") else Nil
    (0 until known).map(i => s"s$i") ++ files
  }

  private def timeUs(wallMs: Long): Long = random.nextInt(40) match {
    case 0                => SubstreamClock.NoTime
    case 1 if hasFarTimes => Farthest(random.nextInt(Farthest.size))
    case 2                => (wallMs + random.nextInt(10000000)) * 1000
    case 3                => -random.nextInt(Int.MaxValue) * 1000L - random.nextInt(1000)
    case n if n < 15      => (wallMs - random.nextInt(30000)) * 1000 + random.nextInt(1000)
    case _                => (wallMs - random.nextInt(3000)) * 1000 + random.nextInt(1000)
  }

  private val Farthest =
    Vector(Long.MaxValue, Long.MaxValue - 12345678L, Long.MinValue + 1, Long.MinValue + 12345678L)
}
