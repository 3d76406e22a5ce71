package tidegate.core.clock

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.policy.{EmissionSpec, PolicySpec}

/**
 * The time of a node against a model that keeps every observation and computes anew each time.
 *
 * Random batches, pauses, silences and restarts; the seed is in the clue of a failure.
 */
class SubstreamClockProperties extends AnyFunSuite {
  private val LagMs = 2000L
  private val TimeoutMs = 5000L
  private val FrameMs = 10L

  private val spec = NodeSpec(
    "node",
    key = 0,
    PolicySpec("fixedLag", Seq(LagMs)),
    EmissionSpec.byFrame(FrameMs),
    idleTimeoutMs = Some(TimeoutMs)
  )

  private final class Model {
    private val tops = mutable.Map.empty[String, Long]
    private val activeAt = mutable.Map.empty[String, Long]
    private val idle = mutable.Set.empty[String]
    private var emitted = Option.empty[Long]

    def observe(batch: Map[String, Long], nowMs: Long): Unit = batch.foreach { case (name, ms) =>
      tops(name) = math.max(ms, tops.getOrElse(name, Long.MinValue))
      activeAt(name) = nowMs
      idle -= name
    }

    def tick(nowMs: Long): Unit =
      activeAt.foreach { case (name, at) => if (nowMs >= at + TimeoutMs) idle += name }

    def watermark: Option[Long] = {
      val active = tops.filterNot { case (name, _) => idle(name) }.values
      val ideal = if (active.isEmpty) tops.values.maxOption else active.minOption
      ideal.map(_ - LagMs).filter(w => emitted.forall(e => frame(w) > frame(e))).foreach { w =>
        emitted = Some(w)
      }
      emitted
    }

    private def frame(ms: Long) = Math.floorDiv(ms, FrameMs)
  }

  test("property: the minimum over the substreams that are not idle, by frame, never falling") {
    (1 to 300).foreach { seed =>
      val random = new Random(seed)
      val model = new Model
      var nowMs = 1000000L
      var node = new SubstreamClock(spec, NodeState.empty, None, 0L, nowMs)
      var last = Option.empty[Long]
      (1 to 60).foreach { step =>
        random.nextInt(4) match {
          case 0                           => nowMs += random.nextInt(7000)
          case 1 if random.nextInt(5) == 0 =>
            val pausedMs = random.nextInt(100000).toLong
            nowMs += pausedMs
            node = new SubstreamClock(spec, node.snapshot, node.watermarkMs, pausedMs, nowMs)
          case _ =>
            val batch = Seq
              .fill(random.nextInt(4))(s"s${random.nextInt(6)}" -> (random.nextInt(40000) - 10000L))
              .toMap
            val tops = batch.view.mapValues(_ * 1000L).toMap
            node.observe(NodeObservation(tops), nowMs, nowMs)
            model.observe(batch, nowMs)
            assert(node.watermarkMs === model.watermark, s"seed $seed, step $step, after a batch")
        }
        node.tick(nowMs, Some(nowMs))
        model.tick(nowMs)
        assert(node.watermarkMs === model.watermark, s"seed $seed, step $step, after a tick")
        assert(node.watermarkMs.forall(w => last.forall(w >= _)))
        last = node.watermarkMs
      }
    }
  }
}
