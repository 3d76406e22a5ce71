package tidegate
package own.windows

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.own.OperatorHarness

/** Windows in whole seconds, which slide by `slide`, or grow by as much. */
final case class Hop(size: Int, slide: Int, offset: Int = 0, grows: Boolean = false) {

  def frameOf(second: Int): Int = second - Math.floorMod(second - offset, slide)

  def isEnd(second: Int): Boolean = Math.floorMod(second - offset, slide) == 0

  /** The start of the window that ends at `end`. */
  def startOf(end: Int): Int =
    if (grows) end - 1 - Math.floorMod(end - 1 - offset, size) else end - size

  /** The end of the last window with a row. */
  def lastEndOver(second: Int): Int =
    (if (grows) startOf(second + 1) else frameOf(second)) + size

  def column: Column =
    window(col("time"), s"$size seconds", s"$slide seconds", s"$offset seconds")
}

/**
 * A row as it is in the state.
 *
 * @param second
 *   its time; when frames were moved, where it has moved to
 * @param closed
 *   up to where windows were closed when it came
 */
final case class Kept(key: Int, second: Int, n: Long, closed: Int)

/** A query of sliding windows that is started again with others, and a search through all rows. */
trait FrameRestartTest extends FrameTest {

  /** A row: the last digit of its number is the key, the others are the time. */
  def row(key: Int, second: Int, sub: String = "a"): Event =
    event(sub, second.toDouble, 10 * second + key)

  def rows(keys: Seq[Int], seconds: Range): Seq[Event] =
    for (second <- seconds; key <- keys) yield row(key, second)

  def inWindows(stream: DataFrame, hop: Hop): DataFrame =
    stream
      .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"))
      .groupBy((col("n") % 10).as("key"), hop.column)
      .agg(count("*"), sum("n"))

  /** The same in SQL, where windows that do not overlap are those of `TUMBLE`, or grow. */
  def inSqlWindows(stream: DataFrame, hop: Hop): DataFrame = {
    stream.createOrReplaceTempView("rows")
    val ordered =
      "IMPOSE_ORDER(rows, DESCRIPTOR(time), 0 seconds, substream => DESCRIPTOR(sub))"
    val (function, lengths) =
      if (hop.grows) "CUMULATE" -> Seq(hop.slide, hop.size)
      else if (hop.size == hop.slide) "TUMBLE" -> Seq(hop.size)
      else "HOP" -> Seq(hop.size, hop.slide)
    val seconds = (lengths :+ hop.offset).map(n => s"INTERVAL $n SECONDS").mkString(", ")
    stream.sparkSession.sql(
      s"""SELECT n % 10 AS key, struct(window_start AS start, window_end AS end) AS window,
        count(*), sum(n) FROM $function($ordered, DESCRIPTOR(time), $seconds)
        GROUP BY n % 10, window_start, window_end"""
    )
  }

  /** The rows that have not left when the key of each was written last, with that watermark. */
  def withoutPurged(rows: Seq[Kept], hop: Hop, written: Map[Int, Int]): Seq[Kept] =
    rows.filter(r => hop.lastEndOver(r.second) > written.getOrElse(r.key, 0))

  /** Each frame goes where its last second is. */
  def moved(rows: Seq[Kept], hop: Hop): Seq[Kept] =
    rows.map(r => r.copy(second = hop.frameOf(r.second) + hop.slide - 1))

  /** The windows that end after `after` and by `until`. */
  def searched(hop: Hop, after: Int, until: Int, rows: Seq[Kept]): Seq[String] = {
    for {
      (key, own) <- rows.groupBy(_.key).toSeq
      end <- after + 1 to until if hop.isEnd(end)
      start = hop.startOf(end)
      inside = own.filter(r => r.second >= start && r.second < end && r.closed < end)
      if inside.nonEmpty
    } yield s"$key|[$start,$end)|${inside.size}|${inside.map(_.n).sum}"
  }.sorted

  def assertSame(found: Seq[String], expected: Seq[String]): Unit = {
    val _ = assert((found diff expected, expected diff found) === (Nil, Nil), "too many, missing")
  }

  /** A query whose windows can be changed. */
  final class Changing(first: Hop, query: (DataFrame, Hop) => DataFrame = inWindows) {
    private val in = feed()
    private var hop = first
    private var sent = Vector.empty[Kept]
    val run: OperatorHarness = harness(query(in.toDF(), hop)).start()

    /** What leaves. */
    def send(rows: Event*): Seq[String] = {
      add(rows: _*)
      run.settle().take()
    }

    /** Without waiting. */
    def add(rows: Event*): Unit = {
      sent =
        sent ++ rows.map(r => Kept(r.n % 10, (r.time.getTime / 1000).toInt, r.n.toLong, closed))
      in.addData(rows)
    }

    /** All rows so far. */
    def all: Seq[Kept] = sent

    /** Up to where windows have been closed. */
    def closed: Int =
      run.log.lastOption.flatMap(_.operators.values.head._2).fold(0)(ms => (ms / 1000).toInt)

    /** For the next start. */
    def changeWindows(to: Hop): Unit = hop = to

    /** Starts again, and returns what the log says of it. */
    def change(to: Hop): Seq[String] = {
      run.stop()
      val lines = LogLines.during("tidegate.preparation.OwnOperators") {
        hop = to
        run.start()
        ()
      }
      run.settle()
      assert(run.take() === Nil, "nothing was sent, and nothing can leave")
      lines
    }

    /** Starts again with a batch that fails. */
    def changeAndFail(to: Hop): Unit = {
      run.stop()
      hop = to
      run.failIn = _ => true
      run.start().settle()
      run.failIn = _ => false
    }
  }
}
