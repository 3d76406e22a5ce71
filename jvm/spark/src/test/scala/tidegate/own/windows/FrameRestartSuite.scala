package tidegate
package own.windows

import org.apache.spark.sql.{AnalysisException, DataFrame}

/** The same checkpoint with other windows: those of before and those of now, against a search. */
class FrameRestartSuite extends FrameRestartTest {

  override protected def atNight: Seq[String] = Seq(
    "of so many frames",
    "with chunks: frames move",
    "a larger size with chunks",
    "no overlap any more, with chunks",
    "a multiple, with chunks",
    "with chunks"
  )

  private val twelve = Hop(12, 2)
  private val aggregate =
    "The windows of aggregate were changed from windows of 12000 ms by 2000 ms"

  private def onStores(title: String)(body: => Unit): Unit =
    test(title)(onEach(body))

  /**
   * Three keys with few frames at 129, of which 1 was written when the windows up to 128 were
   * closed, 2 up to 118, and 3 none: what has expired leaves when a key is written.
   */
  private def few(
      windows: (DataFrame, Hop) => DataFrame = inWindows,
      first: Hop = twelve
  ): Changing = {
    val query = new Changing(first, windows)
    val out = query.send(rows(Seq(1, 2, 3), 100 to 119): _*) ++
      query.send(rows(Seq(1, 2), 120 to 129): _*) ++
      query.send(row(1, 128), row(1, 129))
    assertSame(out.sorted, searched(first, 0, 129, query.all))
    assert(query.closed === 129)
    assertFrames(query.run)
    query
  }

  private val writtenOfFew = Map(1 -> 128, 2 -> 118)

  /** New rows of key 1, and of key 4, which is new. */
  private def endOfFew(query: Changing): Seq[String] =
    query.send(rows(Seq(1, 4), 130 to 139): _*) ++
      query.send(row(1, 135), row(1, 147)) ++
      query.send(row(1, 1000))

  /**
   * Three keys with 300 frames at 366, of which 1 was written then. Chunks of 32 frames leave as a
   * whole: one ends with the frame of 354, the last to expire at 366.
   */
  private def many(): Changing = {
    val query = new Changing(twelve)
    val out = query.send(row(1, 100), row(9, 100, "b")) ++
      query.send(rows(Seq(1, 2, 3), 101 to 400): _*) ++
      query.send(rows(Seq(1, 2, 3), 401 to 700): _*) ++
      query.send(row(9, 366, "b")) ++
      query.send(row(1, 700))
    assertSame(out.sorted, searched(twelve, 0, 366, query.all))
    assert(query.closed === 366)
    query
  }

  private val writtenOfMany = Map(1 -> 366)

  /** New rows of key 1, some of them between the old ones, and of key 4, which is new. */
  private def endOfMany(query: Changing): Seq[String] =
    query.send(rows(Seq(1), 440 to 460) ++ rows(Seq(1, 4), 701 to 720): _*) ++
      query.send(row(9, 450, "b")) ++
      query.send(row(1, 447), row(1, 451), row(1, 650)) ++
      query.send(row(1, 1000), row(9, 1000, "b"))

  /**
   * @param late
   *   how many of the new rows are late: those that are old for windows that are shorter now
   * @param state
   *   what the rows from before are in the new windows
   */
  private def check(
      query: Changing,
      to: Hop,
      verdict: String,
      end: Changing => Seq[String],
      late: Long = 0
  )(state: Seq[Kept] => Seq[Kept]): Unit = {
    val (before, after) = (query.all, query.closed)
    val lines = query.change(to)
    assert(lines === Seq(s"$aggregate to $verdict."))
    val out = end(query)
    assertFrames(query.run)
    val now = state(before) ++ query.all.drop(before.size)
    assertSame(out.sorted, searched(to, after, 1000, now))
    assert(query.run.lateRows.values.sum === late)
    query.run.stop()
    ()
  }

  onStores("a smaller size: all windows are exact") {
    check(
      few(),
      Hop(6, 2),
      "windows of 6000 ms by 2000 ms: compatible, all windows are exact",
      endOfFew
    )(identity)
  }

  onStores("a smaller size with chunks: all windows are exact") {
    check(
      many(),
      Hop(6, 2),
      "windows of 6000 ms by 2000 ms: compatible, all windows are exact",
      endOfMany
    )(identity)
  }

  onStores("a larger size: the first windows miss the frames that had left") {
    check(
      few(),
      Hop(24, 2),
      "windows of 24000 ms by 2000 ms: compatible with these windows affected: those that end " +
        "from 1970-01-01T00:02:10Z to 1970-01-01T00:02:20Z miss the rows that had left the state",
      endOfFew
    )(withoutPurged(_, twelve, writtenOfFew))
  }

  onStores("a larger size with chunks: the first windows miss the frames that had left") {
    check(
      many(),
      Hop(24, 2),
      "windows of 24000 ms by 2000 ms: compatible with these windows affected: those that end " +
        "from 1970-01-01T00:06:08Z to 1970-01-01T00:06:18Z miss the rows that had left the state",
      endOfMany
    )(withoutPurged(_, twelve, writtenOfMany))
  }

  test("windows of so many frames that chunks are larger") {
    on(Seq(StateStoreKind.hdfs, StateStoreKind.rocks)) {
      check(
        many(),
        Hop(8192, 2),
        "windows of 8192000 ms by 2000 ms: compatible with these windows affected: those that end " +
          "from 1970-01-01T00:06:08Z to 1970-01-01T02:22:26Z miss the rows that had left the state",
        endOfMany
      )(withoutPurged(_, twelve, writtenOfMany))
    }
  }

  test("a larger size: the windows that are named are those that miss rows") {
    val query = few()
    val (before, after) = (query.all, query.closed)
    assert(
      query.change(Hop(24, 2)).head.contains("from 1970-01-01T00:02:10Z to 1970-01-01T00:02:20Z")
    )
    val whole = searched(Hop(24, 2), after, 1000, before)
    val purged = searched(Hop(24, 2), after, 1000, withoutPurged(before, twelve, writtenOfFew))
    val missing = (whole diff purged).map(_.replaceAll(".*,(.*)\\).*", "$1").toInt)
    assert((missing.min, missing.max) === (130, 140))
    query.run.stop()
  }

  onStores("a slide that is a multiple: all windows are exact") {
    check(
      few(),
      Hop(12, 4, 2),
      "windows of 12000 ms by 4000 ms, from 2000 ms on: compatible, all windows are exact",
      endOfFew
    )(identity)
  }

  onStores("a slide that is a multiple, with chunks: all windows are exact") {
    check(
      many(),
      Hop(12, 4, 2),
      "windows of 12000 ms by 4000 ms, from 2000 ms on: compatible, all windows are exact",
      endOfMany
    )(identity)
  }

  onStores("another slide: frames move to where they end") {
    check(
      few(),
      Hop(12, 3),
      "windows of 12000 ms by 3000 ms: compatible with these windows affected: from the one that " +
        "ends at 1970-01-01T00:02:12Z to the last one with rows from before, as their frames " +
        "move to the new frame in which they end",
      endOfFew
    )(state => moved(withoutPurged(state, twelve, writtenOfFew), twelve))
  }

  onStores("another slide with chunks: frames move to where they end") {
    check(
      many(),
      Hop(12, 3),
      "windows of 12000 ms by 3000 ms: compatible with these windows affected: from the one that " +
        "ends at 1970-01-01T00:06:09Z to the last one with rows from before, as their frames " +
        "move to the new frame in which they end",
      endOfMany
    )(state => moved(withoutPurged(state, twelve, writtenOfMany), twelve))
  }

  onStores("a shorter slide with chunks: frames move to where they end") {
    check(
      many(),
      Hop(12, 1),
      "windows of 12000 ms by 1000 ms: compatible with these windows affected: from the one that " +
        "ends at 1970-01-01T00:06:07Z to the last one with rows from before, as their frames " +
        "move to the new frame in which they end",
      endOfMany
    )(state => moved(withoutPurged(state, twelve, writtenOfMany), twelve))
  }

  onStores("the same slide at another offset: frames move to where they end") {
    check(
      few(),
      Hop(12, 2, 1),
      "windows of 12000 ms by 2000 ms, from 1000 ms on: compatible with these windows affected: " +
        "from the one that ends at 1970-01-01T00:02:11Z to the last one with rows from before, " +
        "as their frames move to the new frame in which they end",
      endOfFew
    )(state => moved(withoutPurged(state, twelve, writtenOfFew), twelve))
  }

  onStores("no overlap any more: all windows are exact") {
    Seq[(DataFrame, Hop) => DataFrame](inWindows, inSqlWindows).foreach { windows =>
      Seq(2, 4).foreach { size =>
        check(
          few(windows),
          Hop(size, size),
          s"windows of ${size}000 ms by ${size}000 ms: compatible, all windows are exact",
          endOfFew,
          late = 1
        )(identity)
      }
    }
  }

  onStores("no overlap any more, with chunks: all windows are exact") {
    check(
      many(),
      Hop(6, 6),
      "windows of 6000 ms by 6000 ms: compatible, all windows are exact",
      endOfMany,
      late = 1
    )(identity)
  }

  onStores("windows that do not overlap any more stay frames, and may overlap again") {
    val query = few(inSqlWindows)
    val (after, four) = (query.closed, Hop(4, 4))
    assert(query.change(four).size === 1)
    assert(query.change(four) === Nil)
    val out = query.send(rows(Seq(1, 2, 3), 130 to 139): _*)
    assertFrames(query.run)
    assertSame(out.sorted, searched(four, after, 139, query.all))
    val lines = query.change(Hop(8, 4))
    assert(
      lines === Seq(
        "The windows of aggregate were changed from windows of 4000 ms by 4000 ms to windows of " +
          "8000 ms by 4000 ms: compatible with these windows affected: those that end from " +
          "1970-01-01T00:02:20Z to 1970-01-01T00:02:20Z miss the rows that had left the state."
      )
    )
    // All were written with the rows that came, when the windows up to 128 were closed.
    val state = withoutPurged(query.all, four, Map(1 -> 128, 2 -> 128, 3 -> 128))
    assertSame(
      query.send(row(1, 1000)).sorted,
      searched(Hop(8, 4), 139, 1000, state :+ query.all.last)
    )
  }

  onStores("windows are changed twice") {
    val query = few()
    val fours = Hop(12, 4, 2)
    val before = query.all
    val first = query.change(fours)
    // Key 1 is written at 126, the end of a new window; all others at 130, to be in new frames.
    val out = query.send(rows(Seq(1), 130 to 133): _*)
    assertSame(out, searched(fours, 129, 133, before ++ query.all.drop(before.size)))
    assert(query.closed === 133)
    val between = query.all
    val second = query.change(Hop(12, 3))
    assert(
      (first ++ second) === Seq(
        s"$aggregate to windows of 12000 ms by 4000 ms, from 2000 ms on: compatible, all windows " +
          "are exact.",
        "The windows of aggregate were changed from windows of 12000 ms by 4000 ms, from 2000 ms " +
          "on to windows of 12000 ms by 3000 ms: compatible with these windows affected: from " +
          "the one that ends at 1970-01-01T00:02:15Z to the last one with rows from before, as " +
          "their frames move to the new frame in which they end."
      )
    )
    val last = endOfFew(query).sorted
    val state = moved(withoutPurged(between, fours, Map(1 -> 126, 2 -> 130, 3 -> 130)), fours)
    assertSame(last, searched(Hop(12, 3), 133, 1000, state ++ query.all.drop(between.size)))
  }

  onStores("windows that are changed back before a batch is done are as if never changed") {
    Seq(Hop(24, 2), Hop(12, 3)).foreach { other =>
      val query = few()
      val (before, after) = (query.all.size, query.closed)
      query.add(rows(Seq(1, 4), 130 to 139): _*)
      query.changeAndFail(other)
      query.run.clear()
      val lines = LogLines.during("tidegate.preparation.OwnOperators") {
        query.run.stop()
        query.changeWindows(twelve)
        query.run.start()
        ()
      }
      assert(lines === Nil)
      query.run.settle()
      val out = query.run.take() ++ query.send(row(1, 1000))
      assert(before < query.all.size)
      assertSame(out.sorted, searched(twelve, after, 1000, query.all))
      query.run.stop()
    }
  }

  onStores("windows that are changed back before a key is touched are as if never changed") {
    val query = few()
    val after = query.closed
    assert(query.change(Hop(12, 3)).size === 1)
    assert(query.change(twelve).size === 1)
    assertSame(endOfFew(query).sorted, searched(twelve, after, 1000, query.all))
  }

  onStores("windows that grow, and then up to another size") {
    val growing = twelve.copy(grows = true)
    val exact = "compatible, all windows are exact."
    // At 129 the rows before 120, where windows of 12 seconds begin, have left.
    val affected = "compatible with these windows affected: those that end from " +
      "1970-01-01T00:02:10Z to 1970-01-01T00:02:24Z miss the rows that had left the state."
    Seq(24 -> exact, 36 -> affected, 6 -> exact).foreach { case (size, verdict) =>
      val query = few(inSqlWindows, growing)
      val (before, to) = (query.all, growing.copy(size = size))
      assert(
        query.change(to) === Seq(
          "The windows of aggregate were changed from windows that grow by 2000 ms up to 12000 ms " +
            s"to windows that grow by 2000 ms up to ${size}000 ms: $verdict"
        )
      )
      val last = endOfFew(query).sorted
      val state = withoutPurged(before, growing, Map(1 -> 128, 2 -> 118, 3 -> 128))
      assertSame(last, searched(to, 129, 1000, state ++ query.all.drop(before.size)))
    }
  }

  onStores("windows that grow do not become windows that slide, nor the other way round") {
    val growing = twelve.copy(grows = true)
    val (grow, slide) =
      ("windows that grow by 2000 ms up to 12000 ms", "windows of 12000 ms by 2000 ms")
    Seq((twelve, growing, slide, grow), (growing, twelve, grow, slide)).foreach {
      case (from, to, was, is) =>
        val query = few(inSqlWindows, from)
        query.run.stop()
        query.changeWindows(to)
        val error = intercept[AnalysisException](query.run.start())
        assert(
          error.getMessage === "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of " +
            s"`aggregate`: the frames for $was. But the query has $is. Start the query as it was, or with a new " +
            "checkpoint; nothing in this one was changed. SQLSTATE: 42K03"
        )
        // It goes on as it was.
        val (before, after) = (query.all, query.closed)
        query.changeWindows(from)
        query.run.start().settle()
        val state = withoutPurged(before, from, Map(1 -> 128, 2 -> 118, 3 -> 118))
        assertSame(query.send(row(1, 1000)).sorted, searched(from, after, 1000, state))
    }
  }

  onStores("sums of windows of 4 by 2 into those of 6 by 3") {
    val query = new Changing(Hop(4, 2))
    def value(second: Int, n: Int) = event("a", second.toDouble, 10 * n)
    val rows = Seq(value(120, 0), value(121, 1), value(122, 2), value(123, 3))
    assert(query.send(rows: _*) === Seq("0|[118,122)|2|10"))
    // At 123: the window that ends there is no longer to come.
    query.change(Hop(6, 3))
    assert(query.send(value(1000, 0)) === Seq("0|[120,126)|4|60", "0|[123,129)|2|50"))
  }

  test("in a stream: other windows whose first batch fails, and then others") {
    on(StateStoreKind.changelog) {
      val in = events()
      var hop = twelve
      val run = new Run(inWindows(in.toDF(), hop)).start()
      var sent = Seq.empty[Kept]
      def add(rows: Event*): Unit = {
        sent ++= rows.map(r =>
          Kept(r.n % 10, (r.time.getTime / 1000).toInt, r.n.toLong, closed = 0)
        )
        in.addData(rows)
      }
      add(rows(Seq(1, 2), 100 to 129): _*)
      assertSame(run.settle().take(), searched(twelve, 0, 129, sent))
      run.stop()
      hop = Hop(12, 3)
      run.failIn = _ => true
      add(row(1, 130))
      run.start().awaitEnd()
      run.clear()
      hop = Hop(6, 2)
      run.failIn = _ => false
      run.start().settle()
      add(row(1, 1000))
      assertSame(run.settle().take(), searched(hop, 129, 1000, sent))
      assertFrames(run.query)
      run.stop()
    }
  }
}
