package tidegate
package clock

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException}
import tidegate.operators.{BufferByTimer, SilenceByState}
import tidegate.own.HarnessTest

/** Every kind of stateful operator, killed at every moment. */
class RestartSuite extends HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "sessions of Spark",
    "dropDuplicatesWithinWatermark",
    "two keys on one stream",
    "event times before 1970",
    "tumbling windows, on"
  )

  test("sources have the numbers in the checkpoint that they have without a clock") {
    val folders = Seq.fill(3)(files(Seq(event("a", 5, 1)), Seq(event("a", 9, 2))))
    val run = new Run(
      folders
        .map(stream(_).withKeyedWatermark("time", "2 seconds", key = 0, name = null))
        .reduce(_ union _)
    ).start().settle().stop()
    val sources = run.checkpoint.resolve("sources").toFile
    assert(sources.list().toSeq.sorted === Seq("0", "1", "2"))
    sources.listFiles().foreach { source =>
      assert(source.list().filterNot(_.startsWith(".")).sorted.toSeq === Seq("0", "1"))
    }
  }

  /** Two substreams, one far behind the other; the last row is late. */
  private def lagging: Path = files(
    Seq(event("a", 5), event("b", 3), event("a", 12)),
    Seq(event("a", 35), event("a", 41, 7)),
    Seq(event("b", 9), event("b", 14)),
    Seq(event("a", 55), event("b", 33)),
    Seq(event("a", 71), event("b", 70), event("a", 2))
  )

  private def keyed(folder: Path): DataFrame = keyed(stream(folder))

  private def keyed(rows: DataFrame): DataFrame =
    rows.withKeyedWatermark("time", "2 seconds", substream = Seq("sub"))

  private def tumbling(folder: Path): DataFrame =
    keyed(folder).groupBy(window(col("time"), "10 seconds")).agg(count("*"), sum("n"))

  onBothStores("tumbling windows") {
    val folder = lagging
    val run = checkRestarts(tumbling(folder))
    assert(
      run.answer === Seq("[0,10)|3|3", "[10,20)|2|2", "[30,40)|2|2", "[40,50)|1|7", "[50,60)|1|1")
    )
    assert(run.lateRows === Map("aggregate" -> 1L))
  }

  test("a sink that throws in the middle of a batch: the batch is run again, and is the same") {
    val folder = lagging
    val undisturbed = new Run(tumbling(folder)).start().settle()
    val run = new Run(tumbling(folder))
    undisturbed.log.foreach { batch =>
      run.failIn = _ == batch.id
      run.start().awaitEnd()
      run.failIn = _ => false
    }
    run.start().settle()
    assert(run.byBatch === undisturbed.byBatch)
    assert(run.log === undisturbed.log)
  }

  onBothStores(
    "sliding windows: a row late for some windows counts in the others, and is not counted late"
  ) {
    val folder = lagging
    // In the same batch, a row behind the lag is late one batch earlier.
    val run = withConf("spark.tidegate.closing" -> "nextBatch")(
      checkKills(
        keyed(folder).groupBy(window(col("time"), "20 seconds", "10 seconds")).agg(count("*"))
      )
    )
    assert(run.lateRows === Map.empty)
    assert(run.answer.take(2) === Seq("[-10,10)|3", "[0,20)|6"))
  }

  for (isOwn <- Seq(false, true))
    onBothStores(s"sessions of ${if (isOwn) "Tidegate" else "Spark"}") {
      withConf("spark.tidegate.sessions.enabled" -> isOwn.toString) {
        val folder = lagging
        val sessions = keyed(folder).groupBy(session_window(col("time"), "5 seconds"), col("sub"))
        val run = checkKills(sessions.agg(count("*")))
        assert(run.answer.contains("[5,10)|a|1"))
        assert(run.lateRows === Map("aggregate" -> 1L))
      }
    }

  onBothStores("dropDuplicates") {
    val folder = files(
      Seq(event("a", 5), event("a", 5), event("b", 3)),
      Seq(event("a", 5), event("a", 20), event("b", 20)),
      Seq(event("a", 18), event("a", 20)),
      Seq(event("a", 5), event("a", 18), event("b", 40))
    )
    val run = checkKills(keyed(folder).dropDuplicates("sub", "time"))
    assert(run.answer === Seq("a|18|1", "a|20|1", "a|5|1", "b|20|1", "b|3|1", "b|40|1"))
    assert(run.lateRows === Map("deduplicate" -> 1L))
  }

  onBothStores("dropDuplicatesWithinWatermark") {
    val folder = files(
      Seq(event("a", 5), event("b", 5)),
      Seq(event("a", 6), event("b", 6)),
      Seq(event("a", 30), event("b", 31)),
      Seq(event("a", 33), event("b", 45)),
      Seq(event("a", 50), event("b", 50))
    )
    val run = checkKills(keyed(folder).dropDuplicatesWithinWatermark("sub"))
    // The watermark leaves the first retention, 2 seconds, behind in the fourth file.
    assert(run.answer === Seq("a|50|1", "a|5|1", "b|50|1", "b|5|1"))
  }

  onBothStores("flatMapGroupsWithState with an event time timeout") {
    val folder = lagging
    val run = checkKills(SilenceByState(keyed(folder)))
    assert(run.answer === Seq("7|1|68000"))
  }

  test("transformWithState with event time timers, and its output as event time") {
    on("RocksDB") {
      val folder = lagging
      val run = checkKills(BufferByTimer(keyed(folder)))
      assert(run.rows.size === 9)
    }
  }

  onBothStores("two keys on one stream: deduplication on one, windows on the other") {
    val folder = lagging
    val run = checkKills {
      stream(folder)
        .withColumn("time2", col("time") + expr("interval 100 seconds"))
        .withKeyedWatermark("time", "2 seconds", key = 0, substream = Seq("sub"))
        .withKeyedWatermark("time2", "2 seconds", key = 7, substream = Seq("sub"))
        // Aliases that the optimizer removes, with what they say of the columns.
        .select(col("sub"), col("time").as("time"), col("time2").as("time2"), col("n"))
        .dropDuplicates("sub", "time", "n")
        .groupBy(window(col("time2"), "10 seconds"))
        .agg(count("*"))
    }
    assert(run.answer.head === "[100,110)|3")
    assert(run.lateRows === Map("deduplicate" -> 1L))
  }

  onBothStores("a window over a window closes in the same batch") {
    val folder = lagging
    val run = checkKilled {
      keyed(feedOf(folder).toDF())
        .groupBy(window(col("time"), "10 seconds"))
        .agg(sum("n").as("n"))
        .groupBy(window(window_time(col("window")), "20 seconds"))
        .agg(sum("n"), count("*"))
    }
    assert(run.answer === Seq("[0,20)|5|2", "[20,40)|2|1", "[40,60)|8|2"))
  }

  test("a union of two keyed streams has the minimum of both") {
    val (left, right) = (lagging, lagging)
    val run = new Run(
      keyed(left)
        .union(keyed(right))
        .groupBy(window(col("time"), "10 seconds"))
        .agg(count("*"))
    ).start().settle()
    assert(run.answer.head === "[0,10)|6")
  }

  test("a time exactly at the epoch comes out at most once") {
    val folder = files(
      Seq(event("a", 0), event("a", 0)),
      Seq(event("a", 0), event("a", 25)),
      Seq(event("a", 45))
    )
    val run = checkKilled(keyed(feedOf(folder).toDF()).dropDuplicates("sub", "time"))
    assert(run.answer === Seq("a|0|1", "a|25|1", "a|45|1"))
    assert(run.lateRows === Map.empty)
  }

  onBothStores("event times before 1970 are like all others, and start no endless batches") {
    val folder = files(
      Seq(event("a", -50), event("b", -45)),
      Seq(event("a", -30), event("b", -20)),
      Seq(event("a", 25), event("b", 25)),
      Seq(event("a", 45), event("b", 45))
    )
    val run = checkKills(tumbling(folder))
    assert(
      run.answer === Seq("[-20,-10)|1|1", "[-30,-20)|1|1", "[-50,-40)|2|2", "[20,30)|2|2")
    )
    assert(run.lateRows === Map.empty)
    assert(run.batchCount <= 8)
  }

  test("a watermark after an aggregation keeps what it saw over a stop, at the price of a batch") {
    val folder = lagging
    val run = new Run(
      stream(folder)
        .groupBy(col("sub"))
        .agg(max("time").as("time"), sum("n").as("n"))
        .withKeyedWatermark("time", "2 seconds"),
      mode = OutputMode.Update()
    ).start().settle()
    val batches = run.batchCount
    assert(run.watermark("time") === Some(69000L))
    run.restart().settle()
    assert(run.watermark("time") === Some(69000L))
    assert(run.batchCount === batches)
  }

  test("a last batch that cannot be read again: a sentence with the way out, which works") {
    val folder = lagging
    def frame = stream(folder)
      .where(LostRows.stillThere(col("n")))
      .withKeyedWatermark("time", "2 seconds", substream = Seq("sub"))
      .groupBy(window(col("time"), "10 seconds"))
      .count()
    val run = new Run(frame).start().settle().stop()
    // As after a kill at the end of the batch that read the last file.
    val file = run.log.find(_.dataOffsets == run.log.last.dataOffsets).get
    val atFile = Checkpoints.cut(run.checkpoint, file.id, file.id, file.dataOffsets)
    LostRows.lost.set(true)
    try {
      val error = intercept[StreamingQueryException](new Run(frame, atFile).start().settle())
      assert(
        error.getMessage.contains(
          s"The last committed batch ${file.id} could not be read again through the watermark " +
            "`time`; the source may no longer have its rows. Set " +
            "spark.tidegate.restart.observeLastBatch to false to start without: the watermark is " +
            "then lower until its substreams have new events."
        )
      )
      withConf("spark.tidegate.restart.observeLastBatch" -> "false") {
        val again = new Run(frame, atFile).start().settle()
        assert(again.watermark("time") === Some(31000L))
      }
    } finally LostRows.lost.set(false)
  }
}

/** A source that can be told to have lost its rows. */
object LostRows {
  val lost = new AtomicBoolean(false)

  val stillThere: UserDefinedFunction = udf { (_: Int) =>
    if (lost.get) throw new IllegalStateException("gone") else true
  }
}
