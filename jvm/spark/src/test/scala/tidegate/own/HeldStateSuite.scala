package tidegate
package own

/**
 * What a batch reads of a state that holds many keys, as RocksDB counts it: the keys of its rows
 * and those that are due, and no others.
 */
class HeldStateSuite extends HeldQueries with HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "a left anti join",
    "a right outer join",
    "a left semi join",
    "windows that grow",
    "dropDuplicates: a small"
  )

  override protected def lag: String = "1 hour"

  override protected def span: String = "1 hour"

  override protected def twoSpans: String = "2 hours"

  /** Look-ups of each batch, and bytes that were read in the order of the keys. */
  private def read(run: OperatorHarness): Seq[(Long, Long)] =
    run.metric("rocksdbGetCount").zip(run.metric("rocksdbTotalBytesReadThroughIterator"))

  /** What small batches read of a state that holds so many keys; the last one is of a new run. */
  private def read(query: Query, keys: Int): Seq[Seq[(Long, Long)]] = {
    val (in, others) = (feed(), feed())
    val run = harness(query(in.toDF(), others.toDF())).start()
    // The watermark stays an hour behind them.
    val held = (1 to keys).map(event("a", 7200, _))
    in.addData(held)
    others.addData(held)
    run.settle()
    val found = for (second <- Seq(7201, 7202, 7203)) yield {
      val before = run.batchCount
      // A new run may have a batch without data, before there are new rows.
      if (second == 7203) run.restart().settle()
      val row = event("a", second.toDouble, 7)
      in.addData(row)
      others.addData(row)
      run.settle()
      read(run).drop(before)
    }
    assert(run.stateRows >= keys)
    found
  }

  for ((title, query) <- queriesOfOperators)
    onRocksDb(s"$title: a small batch does not look at what is held") {
      val few = read(query, 600)
      assert(few.forall(_.nonEmpty))
      assert(read(query, 2400) === few)
    }
}
