package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.types.{DataType, LongType}
import tidegate.core.window.Slots

/**
 * Entries of any aggregates: of variable length, or with objects of their own. A place holds the
 * entry as it is in the state, or its buffers, or both; an entry is decoded only if it is merged or
 * evaluated.
 */
private[own] final class ObjectSlots(aggregates: FrameAggregates) extends BufferSlots {
  private val types: Array[DataType] = aggregates.buffers.map(_.dataType).toArray
  private val offsets = aggregates.functions
    .map(_.aggregateFunction.aggBufferAttributes.size)
    .scanLeft(0)(_ + _)

  /**
   * Each function with offsets that point at its own buffers, for targets and sources of a merge
   * alike.
   */
  private val functions: Array[AggregateFunction] = aggregates.functions
    .zip(offsets)
    .map { case (f, offset) =>
      f.aggregateFunction match {
        case i: ImperativeAggregate =>
          i.withNewMutableAggBufferOffset(offset).withNewInputAggBufferOffset(offset)
        case declarative => declarative
      }
    }
    .toArray

  /**
   * Whether a merge may move objects from its source into its target, or an evaluation may change
   * its input. Spark allows both, because Spark decodes a buffer for one merge only.
   */
  private val mayShare: Boolean = functions.exists {
    case _: CollectList | _: CollectSet => false
    case f                              => f.isInstanceOf[TypedImperativeAggregate[_]]
  }

  private val mergeDeclarative = MutableProjection.create(
    aggregates.functions.map(_.aggregateFunction).flatMap {
      case d: DeclarativeAggregate => d.mergeExpressions
      case other                   => Seq.fill(other.aggBufferAttributes.size)(NoOp)
    },
    aggregates.buffers ++ aggregates.inputBuffers
  )
  private val encode =
    GenerateUnsafeProjection.generate(
      BoundReference(0, LongType, nullable = false) +:
        types.toSeq.zipWithIndex.map { case (t, i) => BoundReference(i + 1, t, nullable = true) }
    )
  private val evaluateDeclarative = MutableProjection.create(
    functions.toSeq.map {
      case d: DeclarativeAggregate => d.evaluateExpression
      case _                       => NoOp
    },
    aggregates.buffers
  )
  private val output = UnsafeProjection.create(
    aggregates.results,
    (aggregates.stateKey :+ aggregates.frame) ++ aggregates.functions.map(_.resultAttribute)
  )

  private var frames = new Array[Long](0)
  private var entries = new Array[UnsafeRow](0)
  private var buffers = new Array[InternalRow](0)

  private lazy val window = allocate()

  private val both = new JoinedRow
  private val encoded = new GenericInternalRow(1 + types.length)
  private val results = new GenericInternalRow(functions.length)
  private val startRow = new GenericInternalRow(1)
  private val keyAndStart = new JoinedRow
  private val allOfWindow = new JoinedRow

  override protected def grow(capacity: Int): Unit = {
    frames = java.util.Arrays.copyOf(frames, capacity)
    entries = java.util.Arrays.copyOf(entries, capacity)
    buffers = java.util.Arrays.copyOf(buffers, capacity)
  }

  override def release(slot: Int): Unit = {
    // Otherwise an unused place would keep its objects alive.
    entries(slot) = null
    buffers(slot) = null
    super.release(slot)
  }

  override def load(from: EntryArray, i: Int, into: Int): Unit = {
    val entry = new UnsafeRow(1 + types.length)
    from.show(i, entry)
    frames(into) = entry.getLong(0)
    entries(into) = entry.copy()
    buffers(into) = null
  }

  override def loadColumns(row: UnsafeRow, first: Int, into: Int): Unit = {
    frames(into) = row.getLong(first)
    encoded.setLong(0, frames(into))
    types.indices.foreach { i =>
      encoded.update(
        1 + i,
        if (row.isNullAt(first + 1 + i)) null else row.get(first + 1 + i, types(i))
      )
    }
    entries(into) = encode(encoded).copy()
    buffers(into) = null
  }

  override def firstBuffer(slot: Int): Long =
    if (entries(slot) != null) entries(slot).getLong(1) else buffers(slot).getLong(0)

  override def setFrame(slot: Int, frame: Long): Unit = {
    frames(slot) = frame
    if (entries(slot) != null) entries(slot) = moved(entries(slot).copy(), frame)
  }

  private def moved(entry: UnsafeRow, frame: Long): UnsafeRow = {
    entry.setLong(0, frame)
    entry
  }

  override def copy(from: Int, into: Int): Unit = {
    entries(into) = entry(from)
    frames(into) = frames(from)
    buffers(into) = null
  }

  override def merge(earlier: Int, later: Int, into: Int): Unit = {
    val target =
      if (into != earlier) begun(entry(earlier))
      else if (buffers(earlier) != null) buffers(earlier)
      else begun(entries(earlier))
    // Before the merge, because the merge may change its source.
    if (mayShare) { val _ = entry(later) }
    val source = decoded(later)
    mergeDeclarative.target(target)(both(target, source))
    functions.foreach {
      case t: TypedImperativeAggregate[_] => t.mergeBuffersObjects(target, source)
      case i: ImperativeAggregate         => i.merge(target, source)
      case _                              => ()
    }
    buffers(into) = target
    entries(into) = null
    // Source and target may share objects now, and the next merge would change both.
    if (mayShare) buffers(later) = null
  }

  override def size(slot: Int): Int = entry(slot).getSizeInBytes

  override def store(slot: Int, base: AnyRef, address: Long): Unit =
    entry(slot).writeToMemory(base, address)

  private def entry(slot: Int): UnsafeRow = {
    if (entries(slot) == null) {
      encoded.setLong(0, frames(slot))
      types.indices.foreach(i => encoded.update(1 + i, buffers(slot).get(i, types(i))))
      functions.indices.foreach { f =>
        functions(f) match {
          case t: TypedImperativeAggregate[_] =>
            // In a row of its own: the function serializes in place.
            val only = new GenericInternalRow(types.length)
            only.update(offsets(f), buffers(slot).get(offsets(f), types(offsets(f))))
            t.serializeAggregateBufferInPlace(only)
            encoded.update(1 + offsets(f), only.get(offsets(f), types(offsets(f))))
          case _ => ()
        }
      }
      entries(slot) = encode(encoded).copy()
    }
    entries(slot)
  }

  /**
   * What others are merged into: as in Spark, a new buffer that has an entry merged into it. Some
   * functions, such as sketches, merge nothing into what they have decoded.
   */
  private def begun(entry: UnsafeRow): InternalRow = {
    val row = decode(entry)
    if (!mayShare) row
    else {
      val target = row.copy()
      functions.foreach {
        case _: CollectList | _: CollectSet => ()
        case t: TypedImperativeAggregate[_] =>
          t.initialize(target)
          t.mergeBuffersObjects(target, row)
        case _ => ()
      }
      target
    }
  }

  private def decoded(slot: Int): InternalRow = {
    if (buffers(slot) == null) buffers(slot) = decode(entries(slot))
    buffers(slot)
  }

  private def decode(entry: UnsafeRow): InternalRow = {
    val row = new GenericInternalRow(types.length)
    types.indices.foreach { i =>
      row.update(i, if (entry.isNullAt(1 + i)) null else entry.get(1 + i, types(i)))
    }
    functions.indices.foreach { f =>
      functions(f) match {
        case t: TypedImperativeAggregate[_] =>
          row.update(offsets(f), t.deserialize(entry.getBinary(1 + offsets(f))))
        case _ => ()
      }
    }
    row
  }

  override def result(stateKey: UnsafeRow, start: Long, earlier: Int, later: Int): UnsafeRow =
    if (later == Slots.NoSlot) result(stateKey, start, earlier)
    else {
      merge(earlier, later, window)
      result(stateKey, start, window)
    }

  private def result(stateKey: UnsafeRow, start: Long, slot: Int): UnsafeRow = {
    val row = if (mayShare) decode(entry(slot)) else decoded(slot)
    evaluateDeclarative.target(results)(row)
    functions.indices.foreach { f =>
      functions(f) match {
        case i: ImperativeAggregate => results.update(f, i.eval(row))
        case _                      => ()
      }
    }
    startRow.setLong(0, start)
    output(allOfWindow(keyAndStart(stateKey, startRow), results))
  }
}
