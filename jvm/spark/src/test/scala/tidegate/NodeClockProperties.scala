package tidegate

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite
import tidegate.clock.NodeClock
import tidegate.plans.WatermarkSpec
import tidegate.statistics.SubstreamStats

/**
 * The time of a node against a model that keeps every observation and computes anew each time.
 *
 * Random batches, pauses, silences and restarts; the seed is in the clue of a failure.
 */
class NodeClockProperties extends AnyFunSuite {
  private val LagMs = 2000L
  private val TimeoutMs = 5000L
  private val FrameMs = 10L

  private val spec = WatermarkSpec(
    "node",
    key = 0,
    fixedLag("2 seconds"),
    Some(byFrame("10 milliseconds")),
    idleTimeoutMs = Some(TimeoutMs),
    maxFutureSkewMs = None
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

    def restart(nowMs: Long): Unit = {
      activeAt.mapValuesInPlace((_, _) => nowMs)
      idle.clear()
    }

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
      var node = new NodeClock(spec, clock.NodeState.empty, None, 0L, nowMs)
      var last = Option.empty[Long]
      (1 to 60).foreach { step =>
        random.nextInt(4) match {
          case 0                           => nowMs += random.nextInt(7000)
          case 1 if random.nextInt(5) == 0 =>
            val pausedMs = random.nextInt(100000).toLong
            nowMs += pausedMs
            node = new NodeClock(spec, node.snapshot, node.watermarkMs, pausedMs, nowMs)
            model.restart(nowMs)
          case _ =>
            val batch = Seq
              .fill(random.nextInt(4))(s"s${random.nextInt(6)}" -> (random.nextInt(40000) - 10000L))
              .toMap
            node.observe(batch.view.mapValues(_ * 1000L).toMap, nowMs, nowMs)
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

  /**
   * What the driver learns of a batch whose rows are read by tasks, some of them more than once.
   */
  private def readByTasks(rows: Seq[(Long, Long)], random: Random): SubstreamStats = {
    val onDriver = new SubstreamStats(Long.MaxValue)
    val tasks = rows.groupBy(_ => random.nextInt(4)).values.map { part =>
      val task = onDriver.copyAndReset()
      part.foreach { case (name, micros) => task.observe(task.root.of(name), micros) }
      task
    }
    // The tasks of an executor that is lost run again on another one.
    val again = tasks.filter(_ => random.nextInt(3) == 0)
    random.shuffle(tasks ++ again).foreach(onDriver.merge)
    onDriver
  }

  test("property: executors that are lost and regained, and partitions that move, change nothing") {
    (1 to 100).foreach { seed =>
      val random = new Random(seed)
      val (moved, still) = {
        def node = new NodeClock(spec, clock.NodeState.empty, None, 0L, 0L)
        (node, node)
      }
      var last = Option.empty[Long]
      (1 to 30).foreach { step =>
        val nowMs = step * 100L
        val rows =
          Seq.fill(random.nextInt(12))(random.nextLong(5) -> random.nextLong(40000) * 1000L)
        moved.observe(readByTasks(rows, random).all, nowMs, nowMs)
        still.observe(rows.groupMapReduce(_._1.toString)(_._2)(math.max), nowMs, nowMs)
        assert(moved.watermarkMs === still.watermarkMs, s"seed $seed, step $step")
        assert(moved.watermarkMs.forall(w => last.forall(w >= _)), s"seed $seed, step $step")
        last = moved.watermarkMs
      }
    }
  }
}
