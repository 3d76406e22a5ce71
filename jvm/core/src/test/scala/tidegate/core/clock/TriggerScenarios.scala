package tidegate.core.clock

/** When time starts a batch, and what ends with a run. */
class TriggerScenarios extends ClockScenarios {

  private def one = counts(node("time"))

  scenario(
    "no empty batch at a start when nothing changed, and none for a watermark nobody uses",
    ClockScenarios.Query(QuerySpec(Seq(node("time")), Nil))
  ) { run =>
    run.send("time", "a", 5).settle()
    run.send("time", "a", 500).settle()
    assert(run.batchCount <= 3)
    val batches = run.batchCount
    run.restart().restart()
    assert(run.batchCount === batches)
    assert(run.watermark("time") === Some(500000L))
  }

  test(
    "runs that end by themselves give what one run gives, one after another, and with wall clock"
  ) {
    Seq(fixedLag(2000), lagAndWallClock(2000, 172800000000L)).foreach { policy =>
      val run = counts(node("time", policy)).start()
      run.limit("time")(_ => 1)
      run.send("time", "a", 5, 35, 55).send("time", "b", 3, 14, 33).runOnce()
      assert(run.take() === Seq("[0,10)|2", "[10,20)|1"))
      run.onBatch = _ => run.nowMs += 1000
      run.runOnce()
      assert(run.take() === Nil)
      assert(run.lateRows === Map.empty)
    }
  }

  test("with one batch a run, each run sees what the one before it observed") {
    val run = one.start()
    def once(seconds: Double*): Seq[String] =
      run.send("time", "a", seconds: _*).runOneBatch().take()
    assert(once(5) === Nil)
    assert(once(25) === Nil)
    assert(once(26) === Seq("[0,10)|1"))
    assert(once(6, 40) === Nil)
    assert(run.lateRows === Map("aggregate" -> 1))
  }

  test("without batches for no data, the vector moves with the next data batch") {
    Seq(false, true).foreach { restarts =>
      val run = one.start(restarts, startsBatches = false)
      run.send("time", "a", 5).settle()
      run.send("time", "a", 25).settle()
      assert(run.take() === Nil)
      run.settle()
      assert(run.take() === Nil)
      run.send("time", "a", 26).settle()
      assert(run.take() === Seq("[0,10)|1"))
    }
  }

  test("without batches for no data, a run that flushes still ends time") {
    val run = counts(node("time").copy(flush = true)).start(startsBatches = false)
    run.limit("time")(_ => 1).send("time", "a", 5, 6).runOnce()
    assert(run.take() === Seq("[0,10)|2"))
  }

  test("a silence that is long enough since the trigger before is known in the same batch") {
    Seq(false, true).foreach { sameBatch =>
      val run = one.start(sameBatch = sameBatch)
      run.send("time", "a", 30).send("time", "b", 3).settle()
      val batches = run.batchCount
      run.advance(4000).triggerOnce()
      assert(run.batchCount === batches)
      run.advance(4000).triggerOnce()
      assert(run.take() === (if (sameBatch) Seq("[0,10)|1") else Nil))
      assert(run.substreams("time") === Map("a" -> sameBatch, "b" -> sameBatch))
      run.advance(4000).triggerOnce()
      assert(run.take() === (if (sameBatch) Nil else Seq("[0,10)|1")))
      run.advance(3600000).settle()
      assert(run.batchCount === batches + 1)
    }
  }

  test(
    "a silence of who holds nothing back takes no batch, and neither do triggers close together"
  ) {
    val run = one.start(sameBatch = true)
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(4000).send("time", "b", 4).settle()
    val batches = run.batchCount
    run.advance(3000).triggerOnce()
    assert(run.batchCount === batches)
    (1 to 3).foreach(_ => run.advance(900).triggerOnce())
    assert(run.batchCount === batches)
    run.advance(900).triggerOnce()
    assert(run.batchCount === batches + 1)
    assert(run.take() === Seq("[0,10)|2"))
  }

  private val overState = {
    val nodes = Seq(node("time"), node("after").copy(isOverState = true))
    QuerySpec(nodes, Seq(OperatorSpec("aggregate", 0, NodeTime("after"), None)))
  }

  test(
    "over state that cannot be read again, what was observed starts a batch that writes it down"
  ) {
    val run = new ClockScenario(overState)
    run.send("after", "x", 5).send("after", "y", 3).settle()
    val batches = run.batchCount
    run.send("after", "x", 9).settle()
    assert(run.batchCount === batches + 2)
    run.restart()
    assert(run.watermarks("after").substreams("x").watermarkMs === Some(9000L))
    // Over data, where it is read again, the batch alone is enough.
    val over = counts(node("time")).start()
    over.send("time", "x", 5).send("time", "y", 3).settle()
    val before = over.batchCount
    over.send("time", "x", 9).settle()
    assert(over.batchCount === before + 1)
    over.restart()
    assert(over.watermarks("time").substreams("x").watermarkMs === Some(9000L))
  }
}
