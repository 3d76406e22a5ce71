package tidegate.core.window

import tidegate.core.Saturating

/** The values of all windows of a key that have at least one frame, in the order of their ends. */
trait WindowMerge {

  /**
   * Begins with the windows of a key that end after `after` and not after `until`, which may be
   * `FrameGrid.EndOfTime`; `runs` is the number of runs of its frames.
   */
  def start(frames: FrameCursor, after: Long, until: Long, runs: Int): Unit

  /** Goes to the next window with a frame; `false` if there is none. */
  def next(): Boolean

  /**
   * The frame that names the window, because the last windows end beyond the range of `Long`: the
   * first frame of a window that slides, the last frame of one that grows.
   */
  def frame: Long

  /**
   * The place of the merged values of the window's earlier frames, or of all its frames, until the
   * next window. The reader merges these values with those of the later frames, if there are any.
   */
  def earlier: Int

  /**
   * The place of the merged values of the window's later frames; `Slots.NoSlot` if there are none.
   */
  def later: Int
}

object WindowMerge {

  def apply(grid: FrameGrid, slots: Slots): WindowMerge =
    if (grid.grows) new GrowingMerge(grid, slots) else new SlidingMerge(grid, slots)
}

/**
 * The values of windows that slide.
 *
 * They slide by two stacks, so that nothing is ever subtracted from a value: sums do not drift, and
 * every mergeable value can slide. Windows are processed in segments; a segment has at most as many
 * windows as a window has frames. In a segment
 *
 *   - the ''front'' has the frames that leave: each holds the merged values from itself to the end
 *     of the core,
 *   - the ''core'' has the frames that all windows of the segment share: one value, to which a run
 *     is added in one step,
 *   - the ''back'' has the frames that enter: one value that grows.
 *
 * A window is one front value and the back, so a window takes at most two merges, and a frame at
 * most three, not counting the core, which each segment computes once. Empty stretches are skipped.
 * Memory holds the values of one segment. If a window has very many frames, a segment has fewer
 * windows, but at least as many as there are runs, so that its core costs no more than one merge
 * for each window.
 *
 * The idea of two stacks: Tangwongsan, Hirzel, Schneider, ''Low-Latency Sliding-Window Aggregation
 * in Worst-Case Constant Time'', DEBS 2017, section 2.
 *
 * @param minSegment
 *   the largest number of windows in a segment, unless there are more runs
 */
final class SlidingMerge(
    grid: FrameGrid,
    slots: Slots,
    minSegment: Int = SlidingMerge.DefaultSegment
) extends WindowMerge {
  private val coreSlot = slots.allocate()
  private val backSlot = slots.allocate()

  private var cursor: FrameCursor = _
  private var segmentWindows = 0L

  // By their starts: the last window that is due, the last one of the segment, and the window.
  private var lastDue = 0L
  private var segmentLast = 0L
  private var window = 0L

  private var frontFrames = new Array[Long](16)
  private var frontSlots = Array.fill(16)(Slots.NoSlot)
  private var front = 0
  private var fronts = 0
  private var hasCore = false
  private var hasBack = false

  override def frame: Long = window

  override def earlier: Int =
    if (front < fronts) frontSlots(front) else if (hasCore) coreSlot else backSlot

  override def later: Int = if (hasBack && (front < fronts || hasCore)) backSlot else Slots.NoSlot

  override def start(frames: FrameCursor, after: Long, until: Long, runs: Int): Unit = {
    cursor = frames
    segmentWindows = math.min(math.max(minSegment, runs).toLong, grid.framesInWindow)
    window = grid.startOf(after)
    lastDue = grid.startOf(until)
    segmentLast = window
  }

  override def next(): Boolean = {
    var candidate = window
    var isFound = false
    // Each step reaches a frame, or skips the stretch without frames before the next one.
    while (!isFound && candidate < lastDue) {
      candidate = Saturating.add(candidate, grid.slide)
      if (candidate > segmentLast) candidate = open(candidate)
      if (candidate <= lastDue) {
        slideTo(candidate)
        isFound = front < fronts || hasCore || hasBack
        if (!isFound) segmentLast = candidate
      }
    }
    if (isFound) window = candidate
    isFound
  }

  /**
   * Opens a segment at the first window with a frame that begins at `from` or later, and returns
   * its start; `FrameCursor.End` if there is none.
   */
  private def open(from: Long): Long = {
    cursor.seek(from)
    val first =
      if (cursor.frame == FrameCursor.End) FrameCursor.End
      else math.max(from, grid.firstStartOver(cursor.frame))
    if (first <= lastDue) begin(first)
    first
  }

  /** Begins a segment with the window that begins at `first`. */
  private def begin(first: Long): Unit = {
    // Not `first + ...`, which may overflow.
    val more = math.min(segmentWindows - 1, Saturating.subtract(lastDue, first) / grid.slide)
    segmentLast = first + more * grid.slide
    hasCore = false
    hasBack = false
    readFront(segmentLast)
    readCore(grid.lastFrameOf(first))
    mergeFront()
  }

  private def readFront(until: Long): Unit = {
    front = 0
    fronts = 0
    while (cursor.frame < until) {
      if (fronts == frontFrames.length) growFront()
      if (frontSlots(fronts) == Slots.NoSlot) frontSlots(fronts) = slots.allocate()
      frontFrames(fronts) = cursor.frame
      slots.copy(cursor.slot, frontSlots(fronts))
      fronts += 1
      cursor.advance()
    }
  }

  private def growFront(): Unit = {
    val before = frontSlots.length
    frontFrames = java.util.Arrays.copyOf(frontFrames, before * 2)
    frontSlots = java.util.Arrays.copyOf(frontSlots, before * 2)
    java.util.Arrays.fill(frontSlots, before, before * 2, Slots.NoSlot)
  }

  private def readCore(last: Long): Unit =
    while (cursor.frame <= last) {
      if (cursor.runEnd <= last) {
        addToCore(cursor.runSlot)
        cursor.advanceRun()
      } else {
        addToCore(cursor.slot)
        cursor.advance()
      }
    }

  private def addToCore(slot: Int): Unit = {
    if (hasCore) slots.merge(coreSlot, slot, coreSlot) else slots.copy(slot, coreSlot)
    hasCore = true
  }

  private def mergeFront(): Unit = {
    if (hasCore && fronts > 0) {
      slots.merge(frontSlots(fronts - 1), coreSlot, frontSlots(fronts - 1))
    }
    slots.mergeTails(frontSlots, fronts)
  }

  private def slideTo(start: Long): Unit = {
    while (front < fronts && frontFrames(front) < start) front += 1
    val last = grid.lastFrameOf(start)
    while (cursor.frame <= last) {
      if (hasBack) slots.merge(backSlot, cursor.slot, backSlot)
      else slots.copy(cursor.slot, backSlot)
      hasBack = true
      cursor.advance()
    }
  }
}

object SlidingMerge {
  private val DefaultSegment = 1024
}

/**
 * The values of windows that grow, one value for all that begin together: each frame is merged into
 * it once, and a run in one step. A window without frames of its own has the value of the window
 * before it.
 */
final class GrowingMerge(grid: FrameGrid, slots: Slots) extends WindowMerge {
  private val value = slots.allocate()

  private var cursor: FrameCursor = _
  private var lastDue = 0L
  private var candidate = 0L
  private var hasBegin = false
  private var begin = 0L
  private var hasValue = false
  private var window = 0L

  override def frame: Long = window

  override def earlier: Int = value

  override def later: Int = Slots.NoSlot

  override def start(frames: FrameCursor, after: Long, until: Long, runs: Int): Unit = {
    cursor = frames
    // The window after the one that ends at `after` ends with the frame that begins there.
    candidate = after
    lastDue =
      if (until == FrameGrid.EndOfTime) grid.lastFrame else Saturating.subtract(until, grid.slide)
    hasBegin = false
  }

  override def next(): Boolean = {
    var isFound = false
    // Each step reaches a window with a frame, or the frame after a stretch without frames.
    while (!isFound && candidate <= lastDue) {
      growTo(candidate)
      if (hasValue) {
        isFound = true
        window = candidate
        candidate = Saturating.add(candidate, grid.slide)
      } else candidate = cursor.frame
    }
    isFound
  }

  private def growTo(last: Long): Unit = {
    val beginOfLast = grid.beginOf(last)
    if (!hasBegin || begin != beginOfLast) {
      hasBegin = true
      begin = beginOfLast
      hasValue = false
      cursor.seek(begin)
    }
    while (cursor.frame <= last) {
      if (cursor.runEnd <= last) {
        add(cursor.runSlot)
        cursor.advanceRun()
      } else {
        add(cursor.slot)
        cursor.advance()
      }
    }
  }

  private def add(slot: Int): Unit = {
    if (hasValue) slots.merge(value, slot, value) else slots.copy(slot, value)
    hasValue = true
  }
}
