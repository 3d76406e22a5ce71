package tidegate.core.clock.simulator

import org.scalatest.funsuite.AnyFunSuite

/**
 * The clock of a query against an oracle, on random plans and histories. Each seed is a plan and a
 * history of its own.
 *
 *   - `-Dtidegate.seeds=100000` runs so many seeds.
 *   - `-Dtidegate.seed=17` replays one, and prints what happens in it.
 *   - `-Dtidegate.first-seed=5000` begins there.
 */
class SimulatorSuite extends AnyFunSuite {
  private def property(name: String) = sys.props.get(s"tidegate.$name").map(_.toLong)

  private val first = property("first-seed").getOrElse(1L)
  private val count = property("seeds").getOrElse(1000L)

  property("seed") match {
    case Some(seed) =>
      test(s"seed $seed") {
        failIfBroken(seed, new Simulation(seed, Some(println(_))).run())
      }
    case None =>
      test(
        s"$count seeds from $first on: time rises, waits for nobody idle, and survives restores"
      ) {
        val startNs = System.nanoTime()
        (first until first + count).foreach(seed => failIfBroken(seed, new Simulation(seed).run()))
        val minutes = (System.nanoTime() - startNs) / 60e9
        info(f"${count / minutes}%.0f seeds a minute")
      }
  }

  private def failIfBroken(seed: Long, found: Option[(Int, BrokenInvariant)]): Unit =
    found.foreach { case (step, broken) =>
      fail(
        s"""${broken.invariant}: ${broken.where}
           |  seed:   $seed
           |  step:   $step
           |  found:  ${broken.found}
           |  wanted: ${broken.wanted}
           |  replay: ./sbt -Dtidegate.seed=$seed "core/testOnly ${getClass.getName}"""".stripMargin
      )
    }
}
