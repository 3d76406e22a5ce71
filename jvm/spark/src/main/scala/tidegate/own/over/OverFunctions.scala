package tidegate.own.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.{LongType, TimestampType}
import tidegate.core.window.{RowSlide, Slots}
import tidegate.own.aggregates.{BufferSlots, EntryArray, EntrySlots, FrameAggregates, FrameStore}

/**
 * The functions over the rows before a row, by their frames.
 *
 * @param frames
 *   each frame with its functions
 * @param values
 *   those of the new columns, over the columns of the input and the results of the functions
 */
final case class OverFunctions(
    frames: Seq[(OverFrame, FrameAggregates)],
    values: Seq[Expression]
) {

  /** The results of all functions, in the order of the frames. */
  def results: Seq[Attribute] = frames.flatMap(_._2.results.map(_.toAttribute))

  /**
   * For how long, in µs, rows matter for later rows; none if for ever.
   */
  def keptMicros: Option[Long] = {
    val spans = frames.map {
      case (OverRange(Some(lower), _), _) => Some(lower.longest)
      case _                              => None
    }
    Option.when(spans.forall(_.isDefined))(spans.flatten.max)
  }
}

object OverFunctions {

  /** @param results those of [[OverAggregate]] */
  def of(results: Seq[Expression]): OverFunctions = {
    val functions = results
      .flatMap(OverFunction.in)
      .distinct
      .map { f =>
        val aggregate = f.function.asInstanceOf[AggregateFunction]
        f -> aggregate.toAggregateExpression()
      }
    val frames = functions.groupMap(_._1.frame)(_._2)
    OverFunctions(
      // Not in the order of the map, which may differ in the next batch.
      functions.map(_._1.frame).distinct.map(frame => frame -> aggregates(frames(frame))),
      results.map(_.transform { case f: OverFunction =>
        functions.find(_._1 == f).get._2.resultAttribute
      })
    )
  }

  private def aggregates(functions: Seq[AggregateExpression]): FrameAggregates =
    FrameAggregates(
      Nil,
      AttributeReference("time", TimestampType, nullable = false)(),
      functions,
      functions.map(_.resultAttribute),
      Seq("time")
    )
}

/** The values of one frame in a task: made of rows, merged, and turned into results. */
private[over] final class FrameValues(
    val frame: OverFrame,
    aggregates: FrameAggregates,
    input: Seq[Attribute]
) {
  private val functions = aggregates.functions.map(_.aggregateFunction)
  val slots: BufferSlots = EntrySlots(aggregates)

  private val toEntry = new ToEntry(functions, input)
  private val key = FrameStore.prefix(0)
  private val empty = slots.allocate()
  slots.loadColumns(toEntry.empty, 0, empty)

  /** The values of no row. */
  def slide(): RowSlide = new RowSlide(slots, frame.slides)

  /** The number of columns of an entry. */
  val fields: Int = aggregates.entryType.size

  /** The times of entries, and new places with their values; of null, none. */
  def load(entries: EntryArray): (Array[Long], Array[Int]) = {
    val size = if (entries == null) 0 else entries.size
    val (times, places) = (new Array[Long](size), new Array[Int](size))
    var i = 0
    while (i < size) {
      places(i) = slots.allocate()
      slots.load(entries, i, places(i))
      times(i) = entries.frame(i)
      i += 1
    }
    (times, places)
  }

  /** A new place with some values merged; its time is that of the last. */
  def merged(slide: RowSlide, from: Int, size: Int): Int = {
    val place = slots.allocate()
    slots.copy(slide.value(from), place)
    (from + 1 until from + size).foreach(i => slots.merge(place, slide.value(i), place))
    slots.setFrame(place, slide.time(from + size - 1))
    place
  }

  /** Adds the value of a row. */
  def add(to: RowSlide, time: Long, row: InternalRow): Unit = {
    val place = slots.allocate()
    slots.loadColumns(toEntry(time, row), 0, place)
    to.add(time, place)
  }

  /** The results over the rows in a frame; good until the next call. */
  def result(of: RowSlide): UnsafeRow = slots.result(key, 0L, placeOf(of.earlier), of.later)

  /** The results over no row. */
  def result(): UnsafeRow = slots.result(key, 0L, empty, Slots.NoSlot)

  /** The place itself, or that of the values of no row if there is none. */
  def placeOf(place: Int): Int = if (place == Slots.NoSlot) empty else place
}

/** Makes an entry of each row: its time, and buffers that have seen this row alone. */
private final class ToEntry(functions: Seq[AggregateFunction], input: Seq[Attribute]) {
  private val offsets = functions.map(_.aggBufferAttributes.size).scanLeft(1)(_ + _)
  private val types = LongType +: functions.flatMap(_.aggBufferAttributes.map(_.dataType))

  private val declared = MutableProjection.create(
    NoOp +: functions.flatMap {
      case d: DeclarativeAggregate =>
        val initial = AttributeMap(d.aggBufferAttributes.zip(d.initialValues))
        d.updateExpressions.map(_.transform {
          case a: AttributeReference if initial.contains(a) => initial(a)
        })
      case other => Seq.fill(other.aggBufferAttributes.size)(NoOp)
    },
    input
  )
  private val imperative = functions.zip(offsets).collect { case (f: ImperativeAggregate, at) =>
    val bound = BindReferences.bindReference[AggregateFunction](f, input)
    bound.asInstanceOf[ImperativeAggregate].withNewMutableAggBufferOffset(at)
  }
  private val values = new GenericInternalRow(types.length)
  private val encode = UnsafeProjection.create(types.toArray)

  /** The entry of a row; good until the next call. */
  def apply(time: Long, row: InternalRow): UnsafeRow = {
    declared.target(values)(row)
    imperative.foreach { f =>
      f.initialize(values)
      f.update(values, row)
    }
    encoded(time)
  }

  /** The entry of no row. */
  def empty: UnsafeRow = {
    functions.zip(offsets).foreach {
      case (d: DeclarativeAggregate, at) =>
        d.initialValues.zipWithIndex.foreach { case (e, i) => values.update(at + i, e.eval()) }
      case _ => ()
    }
    imperative.foreach(_.initialize(values))
    encoded(0L)
  }

  private def encoded(time: Long): UnsafeRow = {
    values.setLong(0, time)
    imperative.foreach {
      case t: TypedImperativeAggregate[_] => t.serializeAggregateBufferInPlace(values)
      case _                              => ()
    }
    encode(values)
  }
}
