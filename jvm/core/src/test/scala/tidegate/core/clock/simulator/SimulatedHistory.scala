package tidegate.core.clock.simulator

import scala.collection.mutable
import scala.util.Random

import tidegate.core.clock.{QuerySpec, SourceRound}

/**
 * A random history of a query: what each trigger reads and is told. It does not depend on what the
 * clock answers.
 */
private[simulator] final class SimulatedHistory(random: Random, spec: QuerySpec) {
  private val hasFarTimes = random.nextInt(8) == 0
  private val sources =
    spec.nodes.map(node => node.name -> new SimulatedSource(random, node, hasFarTimes))
  private val steps = Vector.newBuilder[SimulatedStep]

  /** Small, so that times before 1970 are near. */
  private var wallMs = 50000L + random.nextInt(1000000)

  def make(): Vector[SimulatedStep] = {
    (0 until 6 + random.nextInt(14)).foreach { i =>
      moveWallClock()
      val start = if (i == 0 || random.nextInt(12) == 0) Some(pause(isFirst = i == 0)) else None
      if (random.nextInt(5) > 0) add(readRows(), start) else settle(start)
    }
    steps.result()
  }

  private def pause(isFirst: Boolean): SimulatedStep.Start = {
    if (!isFirst && random.nextBoolean()) wallMs += random.nextInt(20000)
    SimulatedStep.Start(endsByItself = random.nextInt(3) == 0)
  }

  private def moveWallClock(): Unit = wallMs += (random.nextInt(20) match {
    case 0          => 30000L + random.nextInt(100000)
    case 1          => -random.nextInt(20000).toLong
    case n if n < 6 => 0L
    case n if n < 9 => 1L + random.nextInt(20)
    case _          => random.nextInt(5000).toLong
  })

  private def readRows(): Map[String, Map[String, Seq[Long]]] = {
    val isSilent = random.nextInt(3) == 0
    val read = mutable.LinkedHashMap.empty[String, Map[String, Seq[Long]]]
    sources.foreach { case (node, source) =>
      val rows = if (isSilent) Map.empty[String, Seq[Long]] else source.read(wallMs)
      if (rows.nonEmpty) read(node) = rows
    }
    read.toMap
  }

  /** Two triggers without rows: at the second one the clock knows that all is read. */
  private def settle(start: Option[SimulatedStep.Start]): Unit = {
    sources.foreach(_._2.readUp())
    add(Map.empty, start, isQuiet = true)
    add(Map.empty, None, isQuiet = true, isSettled = true)
  }

  private def add(
      rows: Map[String, Map[String, Seq[Long]]],
      start: Option[SimulatedStep.Start],
      isQuiet: Boolean = false,
      isSettled: Boolean = false
  ): Unit = {
    def someMs() = if (isQuiet || random.nextBoolean()) 0L else random.nextInt(50).toLong
    val unread = spec.nodes.filter(_.hasParts).map(_.name).toSet
    steps += SimulatedStep(
      wallMs,
      wallMs - someMs(),
      rows,
      SourceRound(
        isReadUp = sources.forall(_._2.isReadUp),
        isNew = rows.nonEmpty,
        endedMs = wallMs + someMs(),
        sources.collect { case (node, source) if unread(node) => node -> source.unread }.toMap
      ),
      start,
      isSettled
    )
  }
}
