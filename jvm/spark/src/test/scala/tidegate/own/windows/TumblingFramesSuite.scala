package tidegate
package own.windows

import java.nio.file.Files

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import tidegate.own.aggregates.FrameStore

/** Windows that do not overlap: their state, and the same checkpoint with other windows. */
class TumblingFramesSuite extends FrameRestartTest {

  private val ten = Hop(10, 10)
  private val changed = "The windows of aggregate were changed from windows of 10000 ms by 10000 ms"

  private def onStores(title: String)(body: => Unit): Unit =
    test(title)(onEach(body))

  private def state(run: CollectedBatches): DataFrame =
    spark.read
      .format("statestore")
      .option("operatorId", 1000L)
      .load(run.checkpoint.toString)
      .where(FrameStore.isCounted)

  /** Three keys at 126: all windows up to 120 have left. */
  private def open(windows: (DataFrame, Hop) => DataFrame = inWindows): Changing = {
    val query = new Changing(ten, windows)
    val out = query.send(rows(Seq(1, 2, 3), 85 to 129) :+ row(1, 90, "b"): _*) ++
      query.send(rows(Seq(1, 2), 130 to 138) :+ row(1, 126, "b"): _*) ++
      query.send(row(1, 137))
    assertSame(out.sorted, searched(ten, 0, 126, query.all))
    assert(query.closed === 126)
    assertFrames(query.run)
    query
  }

  onStores("the state has a row for each key and window that is open") {
    val query = open()
    query.run.stop()
    val read = state(query.run)
    assert(read.select("key.*").columns.toSeq === Seq("chunk", "key"))
    assert(
      read.select("value.*").columns.toSeq ===
        Seq("frame_end", "count(1)", "sum(n)", "rest")
    )
    assert(read.filter("value.rest is not null").count() === 0)
    // One number for each window.
    assert(read.select("key.chunk").distinct().count() === 2)
    assert(read.filter("key.chunk is null or key.chunk >= 0").count() === 0)
    val found =
      read.selectExpr("key.key", "value.frame_end", "value.`count(1)`", "value.`sum(n)`").collect()
    val expected = for {
      (key, own) <- query.all.groupBy(_.key).toSeq
      (frame, in) <- own.groupBy(r => ten.frameOf(r.second))
      if frame + 10 > 126
    } yield Row(key, at(frame + 10), in.size.toLong, in.map(_.n).sum)
    assert(found.toSet === expected.toSet)
    assert(found.length === 5)
  }

  onStores("rows of the state are no longer than those of Spark's plan") {
    def bytes(enabled: Boolean): Long = withFrames(enabled) {
      val query = new Changing(ten)
      query.send(rows(0 to 9, 100 to 100): _*)
      query.run.stop()
      val id = if (enabled) 1000L else 0L
      val all =
        spark.read.format("statestore").option("operatorId", id).load(query.run.checkpoint.toString)
      val read = if (enabled) all.where(FrameStore.isCounted) else all
      assert(read.count() === 10)
      read
        .select("key", "value")
        .queryExecution
        .toRdd
        .map { row =>
          Seq(0, 1).map(row.getStruct(_, 0).asInstanceOf[UnsafeRow].getSizeInBytes.toLong).sum
        }
        .sum()
        .toLong
    }
    assert(bytes(enabled = true) <= bytes(enabled = false))
  }

  private def check(
      to: Hop,
      verdict: String,
      late: Long = 0
  )(stateOf: Seq[Kept] => Seq[Kept]): Unit =
    Seq[(DataFrame, Hop) => DataFrame](inWindows, inSqlWindows).foreach { windows =>
      val query = open(windows)
      val (before, after) = (query.all, query.closed)
      assert(query.change(to) === Seq(s"$changed to $verdict."))
      val out = query.send(rows(Seq(1, 4), 140 to 149) :+ row(3, 133, "b"): _*) ++
        query.send(row(1, 1000), row(1, 1000, "b"))
      assertFrames(query.run)
      val now = stateOf(before) ++ query.all.drop(before.size)
      assertSame(out.sorted, searched(to, after, 1000, now))
      assert(query.run.lateRows.values.sum === late)
      query.run.stop()
    }

  private def kept(row: Event) =
    Kept(row.n % 10, (row.time.getTime / 1000).toInt, row.n.toLong, closed = 0)

  /** The rows of a window leave when the window closes. */
  private def left(rows: Seq[Kept]) =
    withoutPurged(rows, ten, rows.map(_.key -> 120).toMap)

  onStores("a larger size") {
    check(
      Hop(20, 20),
      "windows of 20000 ms by 20000 ms: compatible, all windows are exact"
    )(left)
  }

  onStores("a larger size whose windows have begun before the first frame") {
    check(
      Hop(30, 30),
      "windows of 30000 ms by 30000 ms: compatible, all windows are exact"
    )(left)
  }

  onStores("windows that slide") {
    check(
      Hop(20, 10),
      "windows of 20000 ms by 10000 ms: compatible with these windows affected: those that end " +
        "from 1970-01-01T00:02:10Z to 1970-01-01T00:02:10Z miss the rows that had left the state"
    )(left)
  }

  onStores("a smaller size: frames move to where they end") {
    check(
      Hop(5, 5),
      "windows of 5000 ms by 5000 ms: compatible with these windows affected: from the one that " +
        "ends at 1970-01-01T00:02:10Z to the last one with rows from before, as their frames " +
        "move to the new frame in which they end"
    )(state => moved(left(state), ten))
  }

  onStores("another offset: frames move to where they end") {
    check(
      Hop(10, 10, 3),
      "windows of 10000 ms by 10000 ms, from 3000 ms on: compatible with these windows affected: " +
        "from the one that ends at 1970-01-01T00:02:13Z to the last one with rows from before, " +
        "as their frames move to the new frame in which they end"
    )(state => moved(left(state), ten))
  }

  onStores("a first batch that fails, and then the windows from before") {
    val query = open()
    query.add(row(1, 131), row(1, 131, "b"))
    query.changeAndFail(Hop(30, 30))
    query.run.stop()
    query.changeWindows(ten)
    query.run.start().settle()
    val out = query.run.take() ++ query.send(row(1, 1000), row(1, 1000, "b"))
    assertSame(out.sorted, searched(ten, 126, 1000, query.all))
    query.run.stop()
  }

  onStores("rows move in the first batch that runs: the sink may have the first one already") {
    val in = events()
    val checkpoint = newCheckpoint()
    var last = -1L
    var found = Seq.empty[String]
    def run(hop: Hop)(send: StreamingQuery => Any): Unit = {
      val query = inWindows(in.toDF(), hop).writeStream
        .option("checkpointLocation", checkpoint.toString)
        .foreachBatch { (rows: DataFrame, id: Long) =>
          if (id > last) {
            found ++= rows.collect().map(KeyedStreamTest.text)
            last = id
          }
        }
        .start()
      try {
        send(query)
        query.processAllAvailable()
      } finally query.stop()
    }
    run(ten)(_ => in.addData(rows(Seq(1, 2, 3), 85 to 129) :+ row(1, 90, "b")))
    run(ten)(_ => in.addData(row(1, 126, "b")))
    val before = found.size
    // As if it was killed after the sink's commit and before Spark's. Spark's sink of files skips the
    // batch then; of a function that skips it, Spark 4.2 would ask whether it has to.
    Files.delete(checkpoint.resolve(s"commits/$last"))
    Files.deleteIfExists(checkpoint.resolve(s"commits/.$last.crc"))
    withConf("spark.sql.streaming.stateStore.commitValidation.enabled" -> "false") {
      run(Hop(30, 30)) { query =>
        query.processAllAvailable()
        assert(found.size === before)
        in.addData(row(1, 1000), row(1, 1000, "b"))
        ()
      }
    }
    val all = (rows(Seq(1, 2, 3), 85 to 129) :+ row(1, 90, "b")).map(kept)
    val open = withoutPurged(all, ten, Seq(1, 2, 3).map(_ -> 120).toMap)
    assertSame(
      found.drop(before).sorted,
      searched(Hop(30, 30), 120, 1000, open :+ kept(row(1, 126)))
    )
  }

  onStores("windows that grow are refused") {
    val query = open(inSqlWindows)
    query.run.stop()
    query.changeWindows(Hop(20, 10, grows = true))
    val error = intercept[AnalysisException](query.run.start())
    assert(error.getMessage.startsWith("[TIDEGATE_STATE_REFUSED]"))
    query.changeWindows(ten)
    query.run.start().settle()
    assertSame(
      query.send(row(1, 1000), row(1, 1000, "b")).sorted,
      searched(ten, 126, 1000, query.all)
    )
  }

  onStores("keys of many open windows, whose rows move to where others have them") {
    Seq(ten, Hop(40, 10), Hop(30, 30)).foreach { to =>
      val query = new Changing(ten)
      val out = query.send(rows(Seq(1, 2), 100 to 2500) :+ row(1, 100, "b"): _*) ++
        query.send(rows(Seq(1), 300 to 310) :+ row(2, 500, "b"): _*)
      assertSame(out.sorted, searched(ten, 0, 500, query.all))
      query.run.stop()
      assert(state(query.run).count() === 2 * 201)
      query.changeWindows(to)
      query.run.start().settle()
      val after = query.closed
      val kept = withoutPurged(query.all, ten, Map(1 -> 500, 2 -> 500))
      val moved = query.send(rows(Seq(1, 2), 900 to 920) :+ row(2, 700, "b"): _*)
      query.run.stop()
      val read = state(query.run)
      val windows = read.filter("key.chunk < 0")
      if (to.size == to.slide) assert(windows.count() === read.count())
      else {
        assert(windows.count() === 0)
        assert(read.filter("key.chunk is null").count() === 2)
        assert(read.filter("value.frame_end is not null").count() === 0)
      }
      query.run.start().settle()
      val end = moved ++ query.send(row(1, 3000), row(1, 3000, "b"))
      assertSame(end.sorted, searched(to, after, 3000, kept ++ query.all.takeRight(45)))
      query.run.stop()
    }
  }
}
