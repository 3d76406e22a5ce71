package tidegate
package sources

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger

/** Rows that wait to be read are not silence, whatever the source. */
class ReadUpSuite extends RestartTest {

  private def counts(df: DataFrame): DataFrame = df
    .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), idleTimeout = "5 seconds")
    .groupBy(window(col("time"), "10 seconds"))
    .agg(count("*"))

  /**
   * Eight files lie there at the start, and seven more come during the first batch, which takes
   * longer than the idle timeout. The row of `b` is in the last of all.
   */
  private def withSlowFirstBatch(options: Map[String, String]): Run = {
    val folder = TempFolders.create("files")
    addFile(folder, 0, Seq(event("a", 5), event("b", 5)))
    (1 to 7).foreach(i => addFile(folder, i, Seq(event("a", 10 + i))))
    val frame = spark.readStream
      .schema(KeyedStreamTest.eventEncoder.schema)
      .options(options)
      .json(folder.toString)
    val run = new Run(counts(frame))
    run.failIn = { id =>
      if (id == 0) {
        run.clock.advance(6000)
        (8 to 13).foreach(i => addFile(folder, i, Seq(event("a", 10 + i))))
        addFile(folder, 14, Seq(event("b", 6)))
      }
      false
    }
    run.start().settle()
  }

  test("files: the rest of a cached listing is not the end of the folder") {
    val run = withSlowFirstBatch(Map("maxFilesPerTrigger" -> "5"))
    assert(run.log.map(_.dataOffsets).distinct.size === 4)
    assert(run.lateRows === Map.empty)
    assert(run.running.figures.watermarks("time").idle === false)
  }

  test("files: with no cached listing, with all of it cached, and with a limit of bytes") {
    Seq(
      Map("maxFilesPerTrigger" -> "5", "maxCachedFiles" -> "0"),
      Map("maxFilesPerTrigger" -> "5", "discardCachedInputRatio" -> "0.0"),
      Map("maxFilesPerTrigger" -> "4", "maxCachedFiles" -> "1"),
      Map("maxBytesPerTrigger" -> "300"),
      Map.empty[String, String]
    ).foreach { options =>
      assert(withSlowFirstBatch(options).lateRows === Map.empty, options)
    }
  }

  test("files: a folder that is read up has silent substreams, with and without limits") {
    Seq(
      Map("maxFilesPerTrigger" -> "5"),
      Map("maxBytesPerTrigger" -> "300"),
      Map.empty[String, String]
    )
      .foreach { options =>
        val run = withSlowFirstBatch(options)
        run.clock.advance(5000)
        run.settle()
        assert(run.running.figures.watermarks("time").idle, options)
      }
  }

  test("files that come at every trigger, fewer than the limit: a silent substream is left out") {
    val folder = TempFolders.create("files")
    addFile(folder, 0, Seq(event("a", 5), event("b", 5)))
    val run = new Run(counts(stream(folder, filesPerBatch = 5))).start().settle()
    (1 to 4).foreach { i =>
      run.clock.advance(2000)
      addFile(folder, i, Seq(event("a", 10.0 * i)))
      run.query.processAllAvailable()
    }
    assert(run.running.figures.watermarks("time").substreams("b").idle)
  }

  /**
   * A batch that is slower than the timeout, while rows come; the row of `b` is the last of all.
   * Returns the query when all is read.
   */
  private def withSlowBatch(kind: SourceKind): Run = {
    val log = new EventLog
    log.send(event("a", 5), event("b", 5), event("a", 11))
    val run = new Run(counts(log.toDF(spark, kind)))
    run.failIn = { id =>
      if (id == 0) {
        run.clock.advance(6000)
        log.send((12 to 18).map(second => event("a", second)) :+ event("b", 6): _*)
      }
      false
    }
    run.start().settle()
    withClue(kind.name)(assert(run.lateRows === Map.empty))
    run
  }

  private def isIdle(run: Run): Boolean = run.running.figures.watermarks("time").idle

  SourceKind.known.foreach { kind =>
    test(s"${kind.name}: rows that wait are not silence, and silence after them is") {
      val run = withSlowBatch(kind)
      assert(!isIdle(run))
      run.clock.advance(5000)
      run.settle()
      assert(isIdle(run))
    }
  }

  SourceKind.unknown.foreach { kind =>
    test(s"${kind.name}: it cannot be known whether it keeps rows, so nothing counts as silent") {
      val run = withSlowBatch(kind)
      run.clock.advance(60000)
      run.settle()
      assert(!isIdle(run))
    }
  }

  (SourceKind.known ++ SourceKind.unknown).foreach { kind =>
    test(s"${kind.name}: a run that ends by itself loses no row") {
      val log = new EventLog
      log.send(event("a", 5), event("b", 5), event("a", 31), event("b", 7))
      val run = new Run(counts(log.toDF(spark, kind))).runOnce(Trigger.AvailableNow())
      log.send(event("b", 8), event("a", 32))
      run.clock.advance(60000)
      run.runOnce(Trigger.AvailableNow())
      assert(run.lateRows === Map.empty)
    }
  }
}
