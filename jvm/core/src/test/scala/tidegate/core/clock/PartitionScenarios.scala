package tidegate.core.clock

/** Substreams that their source tells of, read or not: Kafka's partitions. */
class PartitionScenarios extends ClockScenarios {

  private def one = counts(node("time").copy(hasParts = true))

  private def seconds(range: Range): Seq[FeedRow] = range.map(s => FeedRow.at(s.toDouble))

  private def nothingOf(partition: String)(p: String): Int = if (p == partition) 0 else Int.MaxValue

  scenario("a partition that was never read holds time back until it speaks", one) { run =>
    run.limit("time")(nothingOf("1"))
    run.sendRows("time", "0", seconds(0 to 35): _*).sendRows("time", "1", seconds(3 to 35): _*)
    run.settle()
    assert(run.take() === Nil)
    assert(run.watermark("time") === None)
    run.limit("time")(p => if (p == "1") 10 else Int.MaxValue).settle()
    assert(run.lateRows === Map.empty)
    assert(run.take() === Seq("[0,10)|17", "[10,20)|20", "[20,30)|20"))
    assert(run.substreams("time").keySet === Set("0", "1"))
  }

  scenario("a partition without rows holds nothing back", one) { run =>
    run.sendRows("time", "0", seconds(0 to 35): _*).sendRows("time", "1").settle()
    assert(run.take() === Seq("[0,10)|10", "[10,20)|10", "[20,30)|10"))
  }

  scenario(
    "a partition that is read to its end without a time holds nothing back any more",
    one
  ) { run =>
    run.limit("time")(nothingOf("1"))
    run.sendRows("time", "0", seconds(0 to 35): _*)
    run.sendRows("time", "1", FeedRow.withoutTime, FeedRow.withoutTime).settle()
    assert(run.take() === Nil)
    run.limit("time")(_ => 1).settle()
    assert(run.take() === Seq("[0,10)|10", "[10,20)|10", "[20,30)|10"))
  }

  scenario("a stream of which only rows without a time were read is idle after the timeout", one) {
    run =>
      run.limit("time")(_ => 0)
      run.sendRows("time", "0", FeedRow.withoutTime).settle()
      run.limit("time")(_ => 1).settle()
      assert(!run.isIdle("time"))
      run.advance(6000).settle()
      assert(run.isIdle("time"))
  }

  scenario(
    "a partition that was read to its end, before any had a time, holds nothing back then either",
    one
  ) { run =>
    run.limit("time")(_ => 0)
    run.sendRows("time", "0").sendRows("time", "1", FeedRow.withoutTime).settle()
    run.limit("time")(_ => Int.MaxValue).settle()
    run.send("time", "0", 35).settle()
    assert(run.watermark("time") === Some(35000L))
  }

  test("the last batch before a restart is visible although the source reports no partitions") {
    val run = counts(node("time", idleAfterMs = None).copy(hasParts = true)).start()
    run.reportsParts = false
    run.send("time", "0", 35).runOneBatch().restart()
    assert(run.watermark("time") === Some(35000L))
  }

  scenario("a partition that is added while the query runs joins in", one) { run =>
    run.sendRows("time", "0", seconds(0 to 25): _*).settle()
    assert(run.take() === Seq("[0,10)|10", "[10,20)|10"))
    run.limit("time")(nothingOf("7"))
    run.sendRows("time", "7", seconds(20 to 45): _*).settle()
    run.sendRows("time", "0", seconds(26 to 45): _*).settle()
    assert(run.take() === Nil)
    run.limit("time")(_ => 5).settle()
    assert(run.lateRows === Map.empty)
    assert(run.take() === Seq("[20,30)|20", "[30,40)|20"))
  }

  scenario("a partition that is only behind is never idle, however slow the batches are", one) {
    run =>
      run.limit("time")(p => if (p == "1") 1 else Int.MaxValue)
      run.onBatch = _ => run.nowMs += 60000
      run.sendRows("time", "0", seconds(0 to 35): _*).sendRows("time", "1", seconds(0 to 20): _*)
      run.settle()
      assert(run.lateRows === Map.empty)
      // When it is read to its end, it is silent for as long as the next batches take.
      assert(run.take() === Seq("[0,10)|20", "[10,20)|20", "[20,30)|11"))
  }

  scenario("a partition whose first rows are read to its end is waited for", one) { run =>
    run.limit("time")(nothingOf("1"))
    run.sendRows("time", "0", seconds(0 to 35): _*).sendRows("time", "1", seconds(15 to 17): _*)
    run.settle()
    run.limit("time")(_ => Int.MaxValue).settle()
    assert(run.watermark("time") === Some(17000L))
  }

  test("a silent partition becomes idle although another one has more than is read") {
    val run = one.start()
    var closedIn = Option.empty[Int]
    run.limit("time")(p => if (p == "2") 1 else Int.MaxValue)
    run.onBatch = batch => {
      run.nowMs += 1000
      if (closedIn.isEmpty && run.take().nonEmpty) closedIn = Some(batch)
    }
    run.sendRows("time", "0", FeedRow.at(5)).sendRows("time", "2", seconds(5 to 60): _*).settle()
    // Partition 0 was silent for five seconds long before 2 was read to its end.
    assert(closedIn.exists(_ < 20))
    assert(run.lateRows === Map.empty)
  }

  test("an idle partition with new rows holds time back before they are read") {
    val run = one.start()
    run.send("time", "0", 5).send("time", "1", 5).settle()
    run.advance(6000).settle()
    assert(run.substreams("time") === Map("0" -> true, "1" -> true))
    run.limit("time")(nothingOf("1")).send("time", "1", 6).settle()
    run.send("time", "0", 25).settle()
    assert(run.take() === Nil)
    assert(run.substreams("time") === Map("0" -> false, "1" -> false))
    run.limit("time")(_ => Int.MaxValue).settle()
    run.advance(6000).settle()
    assert(run.lateRows === Map.empty)
    assert(run.take() === Seq("[0,10)|3"))
  }

  scenario("a partition that the source does not report any more holds nothing back", one) { run =>
    run.sendRows("time", "0", seconds(0 to 35): _*).sendRows("time", "1", seconds(3 to 12): _*)
    run.settle()
    assert(run.take() === Seq("[0,10)|17"))
    run.delete("time", "1").settle()
    assert(run.watermark("time") === Some(35000L))
    assert(run.take() === Seq("[10,20)|13", "[20,30)|10"))
    run.send("time", "0", 36).settle()
    assert(run.substreams("time") - "1" === Map("0" -> false))
    run.restart()
    assert(run.substreams("time") === Map("0" -> false), "it has no place in the checkpoint")
  }

  test("a partition that is deleted while its last rows are read holds nothing back after them") {
    val run = counts(node("time", idleAfterMs = None).copy(hasParts = true)).start()
    run.send("time", "0", 5).send("time", "1", 4).settle()
    run.onBatch = _ => { run.delete("time", "1"); () }
    run.send("time", "0", 35).send("time", "1", 12).settle()
    assert(run.substreams("time") === Map("0" -> false, "1" -> true))
    assert(run.watermark("time") === Some(35000L))
  }

  test("one partition is gone and an idle one has new rows at once: these hold time back") {
    val run = one.start()
    run.send("time", "0", 5).send("time", "1", 21).send("time", "2", 3).settle()
    run.advance(4000).send("time", "1", 22).send("time", "2", 4).settle()
    run.advance(1000).settle()
    assert(run.substreams("time") === Map("0" -> true, "1" -> false, "2" -> false))
    run.limit("time")(nothingOf("0"))
    run.delete("time", "2").send("time", "0", 6).settle()
    assert(run.substreams("time") === Map("0" -> false, "1" -> false, "2" -> true))
    assert(run.watermark("time") === Some(3000L))
    run.limit("time")(_ => Int.MaxValue).settle()
    assert(run.lateRows === Map.empty)
  }

  private def limited(parts: Boolean) = {
    val n = node("time").copy(hasParts = parts, limit = SubstreamLimit("time", Seq("n"), 10))
    counts(n).start()
  }

  test("more substreams than allowed, read or only reported") {
    for (parts <- Seq(false, true); most <- Seq(Int.MaxValue, 0)) {
      val run = limited(parts)
      run.limit("time")(_ => most)
      (1 to 10).foreach(n => run.send("time", s"$n", n.toDouble))
      run.settle()
      run.send("time", "11", 11)
      if (parts || most > 0) {
        val error = intercept[TooManySubstreamsException](run.settle())
        assert(
          error.getMessage ===
            "The watermark `time` has found 11 substreams by `n`, but may have 10."
        )
        assert((error.limit.max, error.found) === ((10, 11)))
      } else run.settle()
    }
  }

  test("more substreams than allowed in a batch that is observed again after a restart") {
    val run = limited(parts = false)
    (1 to 10).foreach(n => run.send("time", s"$n", n.toDouble))
    run.settle()
    run.onBatch = _ => { run.stop(); () }
    run.send("time", "11", 11)
    intercept[TooManySubstreamsException](run.settle())
  }
}
