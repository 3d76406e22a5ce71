package tidegate
package own.windows

import java.sql.Timestamp

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.tidegate.{TestClock, TestQueries}
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.own.aggregates.FrameStore

/** The state of frames: by Spark's reader, and when it is large. */
class FrameStateSuite extends FrameRestartTest {

  override protected def atNight: Seq[String] = Seq(
    "in a batch, on HDFS",
    "heads and chunks, on HDFS",
    "is out yet, on HDFS"
  )

  private val stores = StateStoreKind.tested

  private def state(query: Changing): DataFrame =
    spark.read
      .format("statestore")
      .option("operatorId", 1000L)
      .load(query.run.checkpoint.toString)
      .where(FrameStore.isCounted)

  private def counts(rows: DataFrame): Seq[Row] =
    rows
      .select(col("key.key").as("key"), explode(col("value.frames")).as("entry"))
      .groupBy("key")
      .agg(count("*"), sum("entry.`count(1)`"), sum("entry.`sum(n)`"))
      .orderBy("key")
      .collect()
      .toSeq

  /** The same from the rows that were sent. */
  private def counted(rows: Seq[Kept], slide: Int): Seq[Row] =
    rows
      .groupBy(_.key)
      .toSeq
      .sortBy(_._1)
      .map { case (key, own) =>
        val frames = own.map(_.second / slide).distinct.size
        Row(key, frames.toLong, own.size.toLong, own.map(_.n).sum)
      }

  for (store <- stores) {
    test(s"Spark reads heads, on ${store.name}") {
      on(store) {
        val query = new Changing(Hop(12, 2))
        query.send(rows(Seq(1, 2, 3), 100 to 105) :+ row(1, 101): _*)
        query.run.stop()
        val read = state(query)
        assert(read.count() === 3L)
        assert(read.filter("key.chunk is not null").count() === 0L)
        assert(counts(read) === counted(query.all, 2))
        assert(read.select("key.*").columns.toSeq === Seq("chunk", "key"))
        assert(
          read.select("value.*").columns.toSeq ===
            Seq("closed", "slide", "offset", "size", "chunk_ids", "chunk_ends", "chunks", "frames")
        )
        assert(
          read.selectExpr("inline(value.frames)").columns.toSeq === Seq(
            "frame",
            "count(1)",
            "sum(n)"
          )
        )
        assert(
          read.selectExpr("value.slide", "value.offset").distinct().collect().toSeq ===
            Seq(Row(2000000L, 0L))
        )
      }
    }

    test(s"Spark reads a head of which no window is out yet, on ${store.name}") {
      on(store) {
        val query = new Changing(Hop(12, 2))
        assert(query.send(row(1, 100)) === Nil)
        query.run.stop()
        val closed = state(query).selectExpr("CAST(value.closed AS STRING)").collect().toSeq
        assert(closed === Seq(Row("1970-01-01 00:00:00.000001")))
      }
    }

    test(s"Spark reads heads and chunks, on ${store.name}") {
      on(store) {
        val query = new Changing(Hop(120, 2))
        query.send(row(1, 100), row(9, 100, "b"))
        query.send(rows(Seq(1, 2), 101 to 400): _*)
        query.run.stop()
        val read = state(query)
        val chunks = read.filter("key.chunk is not null")
        // 151 frames of each, in chunks of 32 while more than 64 are open.
        assert(read.filter("key.chunk is null").count() === 3L)
        assert(
          chunks.groupBy("key.key").agg(count("*")).orderBy("key").collect().toSeq ===
            Seq(Row(1, 3L), Row(2, 3L))
        )
        assert(chunks.selectExpr("size(value.frames)").distinct().collect().toSeq === Seq(Row(32)))
        assert(counts(read) === counted(query.all, 2))
        val heads = read.filter("key.chunk is null and key.key < 9").orderBy("key.key")
        assert(
          heads.selectExpr("value.chunk_ids", "size(value.frames)").collect().toSeq ===
            Seq.fill(2)(Row(Seq(0, 1, 2), 55))
        )
        assert(
          heads.selectExpr("value.chunk_ends").head().getSeq[Timestamp](0) ===
            Seq(at(162), at(226), at(290))
        )
        // The chunks in the head are the sums of their entries.
        val merged = heads.selectExpr("key.key", "inline(value.chunks)")
        val entries = chunks
          .selectExpr("key.key", "key.chunk", "inline(value.frames)")
          .groupBy("key", "chunk")
          .agg(min("frame"), sum("`count(1)`"), sum("`sum(n)`"))
          .drop("chunk")
        assert(merged.collect().toSet === entries.collect().toSet)
      }
    }

    test(s"a key of 200,000 frames closes 100,000 windows in a batch, on ${store.name}") {
      on(store)(large())
    }
  }

  test("the state has the names of keys that are computed") {
    val in = events()
    val named = in
      .toDF()
      .withKeyedWatermark("time", "0 seconds")
      .groupBy(
        (col("n") % 10).as("digit"),
        col("sub"),
        upper(col("sub")),
        lit("x"),
        lower(col("sub")).as("Chunk"),
        Hop(12, 2).column
      )
      .count()
      .drop("upper(sub)")
    val run = new Run(named).start()
    in.addData(row(1, 100))
    run.settle().stop()
    assertFrames(run.query)
    val keys = spark.read
      .format("statestore")
      .option("operatorId", 1000L)
      .load(run.checkpoint.toString)
      .where(FrameStore.isCounted)
      .select("key.*")
    assert(keys.columns.toSeq === Seq("chunk", "digit", "sub", "upper(sub)", "Chunk_2"))
    assert(keys.collect().toSeq === Seq(Row(null, 1, "a", "A", "a")))
  }

  test("the metadata of the state has the operator") {
    val query = new Changing(Hop(12, 2))
    query.send(row(1, 100))
    query.run.stop()
    val read = spark.read.format("state-metadata").load(query.run.checkpoint.toString)
    assert(
      read.select("operatorId", "operatorName", "stateStoreName").collect().toSeq ===
        Seq(Row(1000L, "frameAggregate", "default"))
    )
  }

  /** Windows of 50 ms, each ms, over a row in each of 200,000 ms. */
  private def large(): Unit = {
    val in = events()
    val windows = in
      .toDF()
      .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"))
      .groupBy(window(col("time"), "50 milliseconds", "1 millisecond"))
      .agg(count("*").as("rows"), sum("n").as("sum"))
    var out = Seq.empty[(Long, Long, Long)]
    val clock = new TestClock(1000000000L)
    val checkpoint = newCheckpoint().toString
    val query = TestQueries.start(
      windows,
      checkpoint,
      OutputMode.Append(),
      Trigger.ProcessingTime(0),
      clock
    ) { (df, _) =>
      val all = df.agg(count("*"), coalesce(sum("rows"), lit(0L)), coalesce(sum("sum"), lit(0L)))
      val row = all.head()
      if (row.getLong(0) > 0) out = out :+ ((row.getLong(0), row.getLong(1), row.getLong(2)))
    }
    def send(events: Seq[Event]): Unit = {
      in.addData(events)
      query.processAllAvailable()
      query.processAllAvailable()
    }
    send(Seq(event("a", 100), event("b", 100)))
    (0 until 4).foreach { part =>
      // Half a ms more, which is cut off.
      send((1 to 50000).map(i => event("a", 100 + (part * 50000 + i + 0.5) / 1000)))
    }
    assert(out === Nil)
    send(Seq(event("b", 200)))
    // At 100 s are two rows, in 50 windows; each of the other windows has one row in each ms.
    val first = (1L to 50L).map(n => n + 1)
    assert(out === Seq((100000L, first.sum + 99950L * 50, first.sum + 99950L * 50)))
    assert(query.lastProgress != null)
    query.stop()
  }
}
