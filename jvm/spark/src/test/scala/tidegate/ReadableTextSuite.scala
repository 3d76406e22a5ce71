package tidegate

import java.io.ByteArrayOutputStream

import scala.util.matching.Regex

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.tidegate.TestQueries
import tidegate.clock.{ClockOffset, ClockTable}
import tidegate.core.clock.{ClockState, NodeMark}
import tidegate.execution.calls.Doubling
import tidegate.golden.{GoldenInput, GoldenQueries}

/**
 * What users read of a query has no addresses of objects, no fields of ours, and nothing packed.
 */
class ReadableTextSuite extends KeyedStreamTest {
  import ReadableTextSuite._

  override protected def atNight: Seq[String] = Seq(
    "-hdfs",
    "join-left-",
    "join-full-2",
    "join-semi-2",
    "join-right",
    "transform-with-state",
    "hop-chunks"
  )

  private def assertReadable(what: String, text: String): Unit = {
    val found = for {
      line <- text.linesIterator.toSeq
      part <- Unreadable.findFirstIn(NotOurs.replaceAllIn(line, ""))
    } yield s"$part in: ${line.trim.take(300)}"
    assert(found.isEmpty, found.distinct.take(5).mkString(s"$what has\n", "\n", "\n"))
  }

  /** @param modes of `df.explain`, which Spark has not for streams in SQL */
  private def check(
      query: (DataFrame, DataFrame) => DataFrame,
      modes: Seq[String] = Modes
  ): Unit = {
    val (left, right) = (events(), events())
    val df = query(left.toDF(), right.toDF())
    modes.foreach { mode =>
      val text = TestQueries.explain(df, ExplainMode.fromString(mode))
      assert(text.contains("KeyedWatermark"), mode)
      assertReadable(s"explain($mode)", text)
    }
    val run = new Run(df).start()
    GoldenInput.before.foreach { step =>
      left.addData(step.left)
      right.addData(step.right)
      run.settle()
    }
    Seq(false, true).foreach { extended =>
      assertReadable(s"query.explain($extended)", explained(run.query, extended))
    }
    run.query.recentProgress.foreach { p =>
      // The clock's offsets are those of the checkpoint, with all substreams packed.
      val (clock, data) = p.sources.toSeq.partition(_.description == ClockTable.Name)
      assert(clock.size === 1)
      assertReadable("the progress", (p.stateOperators.map(_.json) ++ data.map(_.json)).mkString)
    }
    run.failIn = _ => true
    left.addData(event("a", 500))
    right.addData(event("a", 500))
    val failed = intercept[StreamingQueryException](run.settle())
    Seq(failed.toString, failed.getMessage).foreach(assertReadable("the exception", _))
    assert(failed.toString.contains("KeyedWatermark"))
  }

  private val queries =
    GoldenQueries.all.filter(q => q.isOfThisSpark && !q.name.contains("rocksdb"))

  for ((golden, i) <- queries.zipWithIndex) {
    // Every mode has its queries; with `-Dtidegate.stores=all` each query has all modes.
    val some =
      if (StateStoreKind.areAll) Modes else Seq(i, i + 2).map(j => Modes(j % Modes.size))
    val modes = if (golden.name == "cumulate") Nil else some
    test(golden.name)(withConf(golden.settings.toSeq: _*)(check(golden.query, modes)))
  }

  private def keyed(in: DataFrame): DataFrame =
    in.withKeyedWatermark("time", "2 seconds", substream = Seq("sub"), name = "orders")

  Seq[(String, DataFrame => DataFrame)](
    "all options" -> (_.withKeyedWatermark(
      "time",
      policy = limitingLagAndLull("5 seconds", "1 minute"),
      key = 3,
      substream = Seq("sub", "n"),
      idleTimeout = "7 seconds",
      emission = byFrame("10 seconds"),
      name = "orders",
      maxFutureSkew = "100 days",
      flush = true,
      idleBehind = "3 seconds"
    )),
    "ingestion time" -> (in =>
      in.withColumn("timestamp", col("time"))
        .withIngestionWatermark("time", "1 minute", substream = Seq("sub"))
    ),
    "a name" -> (keyed(_).groupBy(window(col("time"), "5 seconds")).count().tidegateName("hourly")),
    "windows that are not put together from frames" -> (keyed(_)
      .groupBy(window(col("time"), "10 seconds", "4 seconds"))
      .agg(sum("n"))),
    "calls" -> (in => keyed(in).mapAsyncWith(in.schema)(new Doubling(1))),
    "functions" -> (in =>
      keyed(in)
        .withColumn("late", expr("is_late(time)"))
        .withColumn(
          "w",
          expr("current_watermark('orders')")
        )
    ),
    "two times" -> (in =>
      keyed(in)
        .withColumn("other", col("time") + expr("interval 1 second"))
        .withKeyedWatermark("other", "1 second", key = 1)
        .groupBy(window(col("time"), "5 seconds"))
        .count()
    )
  ).foreach { case (what, query) => test(what)(check((in, _) => query(in))) }

  test("the clock's offset names the watermarks, and no substreams") {
    val state = ClockState.empty.copy(nodes =
      Map(
        "orders" -> NodeMark(0, Some(1767268805000L), idle = false),
        "b" -> NodeMark(1, None, idle = true)
      )
    )
    assert(new ClockOffset(state).toString === "{b=none (idle), orders=2026-01-01T12:00:05Z}")
    assert(ClockOffset.empty.toString === "{}")
  }

  test("an exception with many substreams is as readable") {
    val in = events()
    val run = new Run(keyed(in.toDF())).start()
    in.addData((1 to 500).map(i => event(s"substream-${i * 7919 % 1000}-$i", i)))
    run.settle()
    run.restart().settle()
    run.failIn = _ => true
    in.addData(event("a", 900))
    val failed = intercept[StreamingQueryException](run.settle())
    assertReadable("the exception", failed.toString)
    assert(failed.toString.contains("tidegate_clock: {orders=1969-12-31T23:59:59Z}"))
  }
}

object ReadableTextSuite {

  /** What `query.explain` prints. */
  def explained(query: StreamingQuery, extended: Boolean): String = {
    val out = new ByteArrayOutputStream
    Console.withOut(out)(query.explain(extended))
    out.toString
  }

  private val Modes = Seq("simple", "extended", "codegen", "cost", "formatted")

  /** What Spark shows of its own objects, and of the functions and sources of the user. */
  private val NotOurs: Regex =
    "(org\\.apache\\.spark|tidegate\\.operators)\\.[\\w.$/]+(@[0-9a-f]+)?".r

  /** Addresses, functions, packed bytes, and the fields of our own classes. */
  private val Unreadable: Regex = (
    "\\$@|@[0-9a-f]{6,}|scala\\.Function|[A-Za-z0-9+/]{80,}={0,2}|" +
      "\\b(WatermarkSpec|PolicySpec|EmissionSpec|OperatorName|SubstreamStats|FrameAggregates|" +
      "OperatorBatch|LateRows|LateOrigin|NodeMark|QueryDecisions|CallOptions|ArrayBuffer)\\("
  ).r
}
