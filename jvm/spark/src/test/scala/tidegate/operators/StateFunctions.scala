package tidegate
package operators

import java.sql.Timestamp

import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{DataFrame, Encoders}

/** How many events with the number `n` there had been when it fell silent. */
final case class Silence(n: Int, events: Int, watermarkMs: Long)

/** Counts the events with the same number, until ten seconds have passed without one. */
object SilenceByState {
  private val GapMs = 10000L

  def apply(df: DataFrame): DataFrame =
    df.as[Event](KeyedStreamTest.eventEncoder)
      .groupByKey(_.n)(Encoders.scalaInt)
      .flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.EventTimeTimeout())(step)(
        Encoders.scalaInt,
        Encoders.product[Silence]
      )
      .toDF()

  private def step(n: Int, events: Iterator[Event], state: GroupState[Int]): Iterator[Silence] =
    if (state.hasTimedOut) {
      val done = Silence(n, state.get, state.getCurrentWatermarkMs())
      state.remove()
      Iterator.single(done)
    } else {
      val all = events.toSeq
      state.update(state.getOption.getOrElse(0) + all.size)
      state.setTimeoutTimestamp(
        math.max(all.map(_.time.getTime).max, state.getCurrentWatermarkMs()) + GapMs
      )
      Iterator.empty
    }
}

/** Counts the events of a substream, without a notion of event time. */
object CountWithoutTime {
  def apply(df: DataFrame): DataFrame =
    df.select("sub", "time", "time2")
      .as[(String, Timestamp, Timestamp)](
        Encoders.tuple(Encoders.STRING, Encoders.TIMESTAMP, Encoders.TIMESTAMP)
      )
      .groupByKey(_._1)(Encoders.STRING)
      .mapGroupsWithState(GroupStateTimeout.NoTimeout()) {
        (_: String, events: Iterator[(String, Timestamp, Timestamp)], state: GroupState[Long]) =>
          state.update(state.getOption.getOrElse(0L) + events.size)
          state.get
      }(Encoders.scalaLong, Encoders.scalaLong)
      .toDF()
}

/** Holds every event until the watermark has passed it. */
object BufferByTimer {
  def apply(df: DataFrame): DataFrame =
    df.as[Event](KeyedStreamTest.eventEncoder)
      .groupByKey(_.sub)(Encoders.STRING)
      .transformWithState(new Buffer, "time", OutputMode.Append())(KeyedStreamTest.eventEncoder)
      .toDF()

  final class Buffer extends StatefulProcessor[String, Event, Event] {
    @transient private var held: ListState[Event] = _

    override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
      held = getHandle.getListState[Event]("held", KeyedStreamTest.eventEncoder, TTLConfig.NONE)

    override def handleInputRows(
        sub: String,
        events: Iterator[Event],
        timers: TimerValues
    ): Iterator[Event] = {
      events.foreach { e =>
        held.appendValue(e)
        getHandle.registerTimer(e.time.getTime + 1)
      }
      Iterator.empty
    }

    override def handleExpiredTimer(
        sub: String,
        timers: TimerValues,
        expired: ExpiredTimerInfo
    ): Iterator[Event] = {
      val due = new Timestamp(expired.getExpiryTimeInMs())
      val (passed, rest) = held.get().toSeq.partition(_.time.before(due))
      held.clear()
      rest.foreach(held.appendValue)
      passed.iterator
    }
  }
}
