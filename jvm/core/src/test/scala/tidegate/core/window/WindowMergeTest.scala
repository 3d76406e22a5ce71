package tidegate.core.window

import scala.collection.mutable

/** Values and frames that show what a merge does. */
trait WindowMergeTest {

  /** Texts, so that the order of merging shows. */
  protected class Texts extends Slots {
    private val values = mutable.ArrayBuffer.empty[String]
    private val free = mutable.Stack.empty[Int]
    var merges = 0
    private val window = put("")

    def put(text: String): Int = {
      val slot = allocate()
      values(slot) = text
      slot
    }
    def merged(earlier: Int, later: Int): String =
      if (later == Slots.NoSlot) values(earlier)
      else {
        merge(earlier, later, window)
        values(window)
      }
    override def merge(earlier: Int, later: Int, into: Int): Unit = {
      merges += 1
      values(into) = values(earlier) + values(later)
    }
    override def copy(from: Int, into: Int): Unit = values(into) = values(from)
    override def allocate(): Int =
      if (free.nonEmpty) free.pop()
      else {
        values += ""
        values.size - 1
      }
    override def release(slot: Int): Unit = free.push(slot)
  }

  /** Frames, some of them in runs of `runLength`. */
  protected class Frames(
      texts: Texts,
      frames: IndexedSeq[(Long, String)],
      runs: Int,
      runLength: Int
  ) extends FrameCursor {
    private val slots = frames.map { case (_, text) => texts.put(text) }
    private val runSlots = (0 until runs).map(r =>
      texts.put(frames.slice(r * runLength, (r + 1) * runLength).map(_._2).mkString)
    )
    private var i = 0

    override def seek(frame: Long): Unit =
      i = Some(frames.indexWhere(_._1 >= frame)).filter(_ >= 0).getOrElse(frames.size)
    override def frame: Long = if (i < frames.size) frames(i)._1 else FrameCursor.End
    override def slot: Int = slots(i)
    override def advance(): Unit = i += 1
    private def beginsRun = i % runLength == 0 && i / runLength < runs
    override def runEnd: Long = if (beginsRun) frames(i + runLength - 1)._1 else frame
    override def runSlot: Int = if (beginsRun) runSlots(i / runLength) else slot
    override def advanceRun(): Unit = i += (if (beginsRun) runLength else 1)
  }
}
