package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.core.policy.EmissionSpec
import tidegate.plans.{DropLate, KeyedWatermark}

/**
 * The default emission of a watermark node: the frames of the windows downstream, so that only an
 * advance that can close a window starts a batch. Operators without a grid, such as sessions and
 * joins, get frames of one second; so do nodes that nothing uses. If operators run on the slowest
 * watermark, as in Spark, every advance is visible, as in Spark.
 */
object ChooseEmission {
  private val DefaultMs = 1000L
  private val everyMs = EmissionSpec.byMinStep(1L)

  def apply(plan: LogicalPlan): LogicalPlan = {
    val uses = plan.collect { case d: DropLate => d }
    plan.transformUp {
      case k: KeyedWatermark if k.spec.emission.isEmpty =>
        val own =
          uses.filter(u => (u.input +: u.eviction.toSeq).exists(_.nodes.contains(k.spec.name)))
        val emission = if (k.spec.slowestOf.isDefined) everyMs else frames(own)
        k.copy(spec = k.spec.copy(emission = Some(emission)))
    }
  }

  private def frames(uses: Seq[DropLate]): EmissionSpec = {
    val grids = uses.map(_.grid.fold(DefaultMs -> 0L)(g => g.slideMs -> g.offsetMs))
    grids.headOption.fold(byFrame(DefaultMs, 0L)) { case (_, offset) =>
      val sizes = grids.map(_._1) ++ grids.map { case (_, other) => math.abs(other - offset) }
      val size = sizes.map(BigInt(_)).reduce(_ gcd _).toLong
      byFrame(size, Math.floorMod(offset, size))
    }
  }

  private def byFrame(sizeMs: Long, offsetMs: Long) = EmissionSpec.byFrame(sizeMs, offsetMs)
}
