package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating}

/**
 * As [[FixedLag]], but the watermark also reaches every timestamp at most `maxDelayMs` after it was
 * observed. The watermark is never above the highest timestamp seen.
 *
 * Remembers when a new highest timestamp came, in buckets of wall time. A bucket starts with its
 * first timestamp and is released as a whole `maxDelayMs` later: its first timestamp exactly on
 * time, the others early. Buckets start at least `maxDelayMs / 16`, rounded up, apart, so there are
 * never more than 16 within `maxDelayMs`.
 */
private[core] final class LimitingLagAndDelay(lagMs: Long, maxDelayMs: Long)
    extends WatermarkPolicy {
  import LimitingLagAndDelay.MaxBuckets
  Arguments.atLeast("lagMs", lagMs, 0, "ms")
  Arguments.atLeast("maxDelayMs", maxDelayMs, 0, "ms")

  private val bucketMs =
    math.max(1, maxDelayMs / MaxBuckets + math.min(1, maxDelayMs % MaxBuckets))
  private val bucketStartMs = new Array[Long](MaxBuckets)
  private val bucketTopMs = new Array[Long](MaxBuckets)
  private var bucketCount = 0
  private var watermarkMs = NoWatermark.Ms
  private var latestNowMs = NoWatermark.Ms

  override def observeEvent(timestampMs: Long, nowMs: Long): Option[Long] = {
    release(nowMs)
    if (timestampMs > topMs) remember(timestampMs)
    watermarkMs = math.max(watermarkMs, Saturating.subtract(timestampMs, lagMs))
    currentWatermark(nowMs)
  }

  override def currentWatermark(nowMs: Long): Option[Long] = {
    release(nowMs)
    NoWatermark.toOption(watermarkMs)
  }

  override def dependsOnWallClock: Boolean = true

  override def snapshot: WatermarkPolicy.Snapshot = WatermarkPolicy.Snapshot(
    Vector(watermarkMs, latestNowMs) ++
      bucketStartMs.take(bucketCount) ++ bucketTopMs.take(bucketCount)
  )

  override def restore(snapshot: WatermarkPolicy.Snapshot, pausedMs: Long): Unit = {
    val wanted = s"2 values and two for each of at most $MaxBuckets buckets"
    WatermarkPolicy.check(snapshot, wanted)(n => n >= 2 && n <= 2 + 2 * MaxBuckets && n % 2 == 0)
    watermarkMs = snapshot.values(0)
    latestNowMs = WatermarkPolicy.shift(snapshot.values(1), pausedMs)
    bucketCount = snapshot.values.size / 2 - 1
    val (starts, tops) = snapshot.values.drop(2).splitAt(bucketCount)
    starts.map(WatermarkPolicy.shift(_, pausedMs)).copyToArray(bucketStartMs)
    tops.copyToArray(bucketTopMs)
  }

  override def continueFrom(watermarkMs: Long, nowMs: Long): Unit = {
    this.watermarkMs = watermarkMs
    latestNowMs = nowMs
  }

  /** The highest timestamp; once all buckets are released it is the watermark itself. */
  private def topMs: Long = if (bucketCount == 0) watermarkMs else bucketTopMs(bucketCount - 1)

  private def remember(timestampMs: Long): Unit = {
    val isNewBucket = bucketCount == 0 || ageMs(bucketCount - 1) >= bucketMs
    if (isNewBucket) {
      bucketStartMs(bucketCount) = latestNowMs
      bucketCount += 1
    }
    bucketTopMs(bucketCount - 1) = timestampMs
  }

  private def release(nowMs: Long): Unit = {
    latestNowMs = math.max(latestNowMs, nowMs)
    var due = 0
    while (due < bucketCount && ageMs(due) >= maxDelayMs) due += 1
    if (due > 0) {
      watermarkMs = math.max(watermarkMs, bucketTopMs(due - 1))
      bucketCount -= due
      System.arraycopy(bucketStartMs, due, bucketStartMs, 0, bucketCount)
      System.arraycopy(bucketTopMs, due, bucketTopMs, 0, bucketCount)
    }
  }

  private def ageMs(bucket: Int): Long = Saturating.subtract(latestNowMs, bucketStartMs(bucket))
}

private object LimitingLagAndDelay {
  private val MaxBuckets = 16
}
