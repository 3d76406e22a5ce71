package tidegate.core.clock

import scala.util.Random

/** The rows that come out do not depend on how often the query was stopped. */
class RestartProperties extends ClockScenarios {

  private def sent(random: Random): Seq[Seq[(String, String, Double)]] = {
    var second = 0
    Seq.fill(20) {
      second += random.nextInt(8)
      Seq.fill(random.nextInt(5)) {
        val age = random.nextInt(8)
        (
          Seq("a", "b")(random.nextInt(2)),
          s"s${random.nextInt(3)}",
          math.max(0, second - age).toDouble
        )
      }
    }
  }

  private def query(random: Random) = {
    val union = CoalescedTime(Seq(NodeTime("a"), NodeTime("b")))
    val (a, b) = (node("a", idleAfterMs = None), node("b", fixedLag(3000), idleAfterMs = None))
    val parts = random.nextBoolean()
    counts(
      if (random.nextBoolean()) union else TightestTime(Seq(union, NodeTime("a"))),
      a.copy(hasParts = parts),
      b.copy(hasParts = parts && random.nextBoolean(), isOverState = random.nextInt(4) == 0)
    )
  }

  test("property: windows, late rows, times and unions are those of an undisturbed run") {
    (1 to 300).foreach { seed =>
      val steps = sent(new Random(seed))
      val limits = Seq(1, 2, Int.MaxValue)(seed % 3)
      def run(restarts: Boolean) = {
        val run = query(new Random(seed)).start(restarts)
        Seq("a", "b").foreach(run.limit(_)(_ => limits))
        steps.map { rows =>
          rows.foreach { case (node, substream, second) => run.send(node, substream, second) }
          run.settle()
          // Of substreams that are equally low, another one may be named first. A run does not know
          // when substreams appeared that it did not see appear.
          val nodes = run.watermarks.map { case (name, n) =>
            name -> ((
              (n.watermarkMs, n.idle),
              n.substreams.map { case (s, own) => s -> own.copy(newAtMs = None) }
            ))
          }
          (run.take(), run.lateRows, nodes, run.state.operators, run.state.unions)
        }
      }
      val (restarted, undisturbed) = (run(restarts = true), run(restarts = false))
      val first = restarted.indices.find(i => restarted(i) != undisturbed(i))
      assert(first.map(restarted) === first.map(undisturbed), s"seed $seed, step $first")
    }
  }
}
