package tidegate.statistics

import java.lang.invoke.VarHandle
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.unsafe.types.UTF8String
import tidegate.core.clock.SubstreamLimit
import tidegate.errors.QueryErrors

/**
 * The highest event time of each substream of a task, in a tree with one level for each substream
 * column: the substream of a row is found by its column values directly, without building a key.
 *
 * The task writes the tree, for every row and without locks. Another thread may read the tree at
 * any time, and may miss the latest changes.
 */
final class SubstreamNode(counter: SubstreamCounter) {
  import SubstreamNode._

  @volatile private var byLong = new LongTable(InitialSize)
  private val byText = new ConcurrentHashMap[UTF8String, SubstreamNode](InitialSize)
  @volatile private var ofNullValue: SubstreamNode = _
  private var micros = NoTime
  private var late = PartitionCounts.none
  private var observed = false

  // Rows often come in runs with the same text, which is then found without hashing.
  private var lastText: UTF8String = _
  private var lastOfText: SubstreamNode = _

  /** The next level, for a number. */
  def of(value: Long): SubstreamNode = {
    val found = byLong.find(value)
    if (found != null) found else add(value)
  }

  /** The next level, for a text; the caller may reuse the text object. */
  def of(value: UTF8String): SubstreamNode = {
    if (lastText == null || !lastText.equals(value)) {
      val found = byText.get(value)
      lastText = value.clone()
      lastOfText = if (found != null) found else new SubstreamNode(counter)
      if (found == null) byText.put(lastText, lastOfText)
    }
    lastOfText
  }

  /** The next level, for a null. */
  def ofNull(): SubstreamNode = {
    if (ofNullValue == null) ofNullValue = new SubstreamNode(counter)
    ofNullValue
  }

  /**
   * Takes in an event with a time in µs. Returns true if the time is above `bound`: such an event
   * moves nothing.
   *
   * @throws AnalysisException
   *   if it is the first event of one substream too many
   */
  def observe(time: Long, bound: Long): Boolean = {
    if (!observed) {
      counter.add()
      observed = true
    }
    if (time <= micros) false
    else if (time > bound) true
    else {
      micros = time
      false
    }
  }

  /** Whether nothing was observed here or below. */
  def isUntouched: Boolean =
    !observed && byText.isEmpty && ofNullValue == null && byLong.entries.isEmpty

  /** Counts an event of a partition that is below the watermark. */
  def addLate(partition: Int): Unit = late = late.increased(partition)

  /** The highest time in µs, or `NoTime`. */
  def top: Long = micros

  /** The events below the watermark. */
  def lateRows: PartitionCounts = late

  /** The substreams below, by name. */
  def substreams(path: List[String] = Nil): Iterator[(String, SubstreamNode)] = {
    val own = if (observed) Iterator.single(joined(path) -> this) else Iterator.empty
    own ++
      byLong.entries.flatMap { case (value, node) => node.substreams(value.toString :: path) } ++
      byText.asScala.iterator.flatMap { case (value, node) =>
        node.substreams(part(value) :: path)
      } ++
      Option(ofNullValue).iterator.flatMap(_.substreams(NullName :: path))
  }

  private def add(value: Long): SubstreamNode = {
    val node = new SubstreamNode(counter)
    if (byLong.isFull) byLong = byLong.grown
    byLong.put(value, node)
    node
  }
}

object SubstreamNode {

  /** Only events without a usable time were seen. */
  val NoTime: Long = Long.MinValue

  /** The name of the only substream of an undivided stream. */
  val WholeStream = "*"

  private val InitialSize = 4
  private val NullName = "\\N"

  /** The name of the substream with these column values. */
  def name(values: Seq[String]): String = joined(
    values.map(v => if (v == null) NullName else part(UTF8String.fromString(v))).reverse.toList
  )

  /** Column values joined by `/`; escapes keep different values different. */
  private def joined(path: List[String]): String =
    if (path.isEmpty) WholeStream else path.reverse.mkString("/")

  /**
   * A text with backslashes doubled. Bytes that are no UTF-8 are in hexadecimal digits, behind a
   * single backslash: as text they would all be the same replacement character.
   */
  def text(value: UTF8String): String =
    if (value.isValid) value.toString.replace("\\", "\\\\")
    else value.getBytes.map(b => f"${b & 0xff}%02x").mkString("\\x", "", "")

  private def part(value: UTF8String): String = text(value).replace("/", "\\/")

  /** Open addressing, at most half full; the size is a power of two. */
  private final class LongTable(size: Int) {
    private val keys = new Array[Long](size)
    private val nodes = new Array[SubstreamNode](size)
    private val mask = size - 1
    private var count = 0

    def isFull: Boolean = count >= size / 2

    def grown: LongTable = {
      val larger = new LongTable(size * 2)
      entries.foreach { case (key, node) => larger.put(key, node) }
      larger
    }

    def find(key: Long): SubstreamNode = nodes(slot(key))

    def put(key: Long, node: SubstreamNode): Unit = {
      val i = slot(key)
      keys(i) = key
      // A thread that sees the node in its slot also sees the node's contents and its key.
      VarHandle.releaseFence()
      nodes(i) = node
      count += 1
    }

    def entries: Iterator[(Long, SubstreamNode)] =
      nodes.indices.iterator.map(at).filter(_._2 != null)

    private def at(i: Int): (Long, SubstreamNode) = {
      val node = nodes(i)
      VarHandle.acquireFence()
      keys(i) -> node
    }

    /** The slot where the key is, or would be put. */
    private def slot(key: Long): Int = {
      val h = key * 0x9e3779b97f4a7c15L
      var i = (h ^ (h >>> 32)).toInt & mask
      while (nodes(i) != null && keys(i) != key) i = (i + 1) & mask
      i
    }
  }
}

/** Counts the substreams of a tree. */
final class SubstreamCounter(limit: SubstreamLimit) {
  private var count = 0

  /** @throws AnalysisException if this exceeds the limit */
  def add(): Unit = {
    count += 1
    if (limit.isExceededBy(count)) throw QueryErrors.tooManySubstreams(limit, count)
  }
}

/**
 * A number for each partition of a batch.
 *
 * The object is immutable, so that one thread can read it while another one counts. The count of a
 * partition is a maximum over its attempts: retries, and a second action on the same batch, count a
 * row once.
 */
private[statistics] final case class PartitionCounts(byPartition: Map[Int, Long]) {

  def total: Long = byPartition.values.sum

  def isEmpty: Boolean = byPartition.isEmpty

  /** The counts with one more in a partition. */
  def increased(partition: Int): PartitionCounts =
    PartitionCounts(byPartition.updated(partition, byPartition.getOrElse(partition, 0L) + 1))

  /** The higher count of each partition. */
  def max(other: PartitionCounts): PartitionCounts =
    PartitionCounts(other.byPartition.foldLeft(byPartition) { case (counts, (partition, n)) =>
      counts.updated(partition, math.max(n, counts.getOrElse(partition, 0L)))
    })
}

private[statistics] object PartitionCounts {
  val none: PartitionCounts = PartitionCounts(Map.empty)
}
