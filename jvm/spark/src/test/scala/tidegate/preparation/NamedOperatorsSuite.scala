package tidegate
package preparation

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException}
import org.apache.spark.sql.{AnalysisException, DataFrame, Dataset}

/** Operators that the user gives names: in what a query shows, and in its checkpoint. */
class NamedOperatorsSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq(
    "operators of Spark of one kind",
    "is added, changed, and removed again"
  )

  private def keyed(in: DataFrame): DataFrame =
    in.withKeyedWatermark("time", "0 seconds", name = "times").toDF()

  private def counts(in: DataFrame, size: Int, slide: Int): DataFrame =
    in.groupBy(window(col("time"), s"$size seconds", s"$slide seconds"))
      .agg(count("*").as("c"))
      .toDF()

  private def operatorsOf(run: Run): Set[String] = run.running.operators.map(_.operator).toSet

  private def numbersOf(checkpoint: Path): Set[Int] =
    checkpoint.resolve("state").toFile.list().map(_.toInt).toSet

  private val rows = Seq(
    Seq(event("a", 5), event("b", 5)),
    Seq(event("a", 15), event("b", 17)),
    Seq(event("a", 25), event("a", 25, 2)),
    Seq(event("a", 3), event("a", 36)),
    Seq(event("a", 26), event("b", 49)),
    Seq(event("a", 95))
  )

  /** The files of each part of a run. */
  private def shares(parts: Int): Seq[Range] = {
    val starts = (0 until parts).map(_ * (rows.size / parts)) :+ rows.size
    starts.zip(starts.tail).map { case (from, until) => from until until }
  }

  /** The rows and late rows of a run whose plan changes, or else is only stopped, between parts. */
  private def outcome(plans: Seq[DataFrame => DataFrame]): (Seq[String], Long, Run) = {
    val (in, checkpoint) = (EventFiles.of(), newCheckpoint())
    val parts = plans.zip(shares(plans.size)).map { case (plan, files) =>
      files.foreach(n => addFile(in, n, rows(n)))
      val run = new Run(plan(stream(in)), checkpoint).start().settle()
      val late = run.lateRows.values.sum
      run.stop()
      (run, late)
    }
    (parts.flatMap(_._1.answer).sorted, parts.map(_._2).sum, parts.last._1)
  }

  /**
   * A query whose plan changes has the same rows, and late ones, as one with the last plan only.
   */
  private def checkChange(plans: (DataFrame => DataFrame)*): Run = {
    val (answer, late, run) = outcome(plans)
    val (expected, expectedLate, _) = outcome(plans.map(_ => plans.last))
    assert(answer === expected)
    assert(late === expectedLate)
    run
  }

  test("a query shows the names: of windows, of the sides of a join, of a deduplication") {
    val (l, r) = (events(), events())
    l.addData(event("a", 5), event("a", 9))
    r.addData(event("a", 6), event("a", 9))
    val joined = l
      .toDF()
      .withKeyedWatermark("time", "0 seconds", name = "l")
      .dropDuplicates("time", "n")
      .tidegateName("firsts")
      .as("l")
      .join(
        r.toDF().withKeyedWatermark("time", "0 seconds", key = 1, name = "r").as("r"),
        expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time")
      )
      .select(col("l.time").as("time"))
      .where("time IS NOT NULL")
      .tidegateName("pairs")
    val run = new Run(counts(joined.toDF(), 10, 5).tidegateName("by-ten")).start().settle()
    assert(operatorsOf(run) === Set("firsts", "pairs.left", "pairs.right", "by-ten"))
    assert(run.query.lastProgress.sources.exists(_.endOffset.contains("\"pairs.left\"")))
    l.addData(event("a", 1))
    run.settle()
    assert(run.lateRows === Map("firsts" -> 1L))
  }

  onBothStores("windows change their places: each keeps its own state") {
    def union(first: Dataset[_], second: Dataset[_]) = first.toDF().union(second.toDF())
    def short(in: DataFrame) = counts(keyed(in), 10, 5).tidegateName("short")
    def long(in: DataFrame) = counts(keyed(in), 20, 20).tidegateName("long")
    val run = checkChange(
      in => union(short(in), long(in)),
      in => union(long(in), short(in)),
      in => union(short(in), long(in))
    )
    assert(operatorsOf(run) === Set("short", "long"))
  }

  onBothStores("operators of Spark of one kind change their places") {
    def a(in: DataFrame) = in.dropDuplicates("time", "n").tidegateName("by-n").toDF()
    def b(in: DataFrame) = in.dropDuplicates("time", "sub").tidegateName("by-sub").toDF()
    withConf("spark.tidegate.deduplication.enabled" -> "false") {
      val run = checkChange(in => b(a(keyed(in))), in => a(b(keyed(in))))
      assert(numbersOf(run.checkpoint) === Set(0, 1))
    }
  }

  onBothStores("operators of ours of one kind change their places") {
    def a(in: DataFrame) = in.dropDuplicates("time", "n").tidegateName("by-n").toDF()
    def b(in: DataFrame) = in.dropDuplicates("time", "sub").tidegateName("by-sub").toDF()
    val run = checkChange(in => b(a(keyed(in))), in => a(b(keyed(in))))
    assert(numbersOf(run.checkpoint) === Set(1000, 1001))
  }

  test("operators of two kinds change their places, below one without a name") {
    def firsts(in: DataFrame) = in.dropDuplicates("time", "n", "sub").tidegateName("firsts").toDF()
    def ordered(in: DataFrame) = in.orderByEventTime().tidegateName("ordered").toDF()
    def last(in: DataFrame) = in.dropDuplicates("time", "sub")
    val run = checkChange(
      in => last(firsts(ordered(keyed(in)))),
      in => last(ordered(firsts(keyed(in))))
    )
    assert(operatorsOf(run) === Set("firsts", "ordered", "deduplicate-2"))
  }

  test("a name is added, changed, and removed again: windows, watermark and late rows stay") {
    def sliding(in: DataFrame) = counts(keyed(in), 10, 5)
    val run = checkChange(
      sliding,
      sliding(_).tidegateName("short").toDF(),
      sliding(_).tidegateName("brief").toDF(),
      sliding
    )
    assert(operatorsOf(run) === Set("aggregate"))
  }

  test("the sides of a join get a name in a running query: rows that were late stay late") {
    def joined(in: DataFrame) = keyed(in)
      .as("l")
      .join(
        in.withKeyedWatermark("time", "0 seconds", key = 1, name = "r").as("r"),
        expr("l.n = r.n AND l.time = r.time")
      )
      .select(col("l.time"), col("r.sub"))
    val run = checkChange(joined, joined(_).tidegateName("pairs").toDF(), joined)
    assert(operatorsOf(run) === Set("join.left", "join.right"))
  }

  test("killed in the first batch with names, then moved: found by the names") {
    def a(in: DataFrame) = in.dropDuplicates("time", "n")
    def b(in: DataFrame) = in.dropDuplicates("time", "n", "sub")
    def named(in: Dataset[_], name: String) = in.tidegateName(name).toDF()
    val (in, checkpoint) = (EventFiles.of(rows.take(2): _*), newCheckpoint())
    new Run(b(a(keyed(stream(in)))), checkpoint).start().settle().stop()
    addFile(in, 2, rows(2) ++ Seq(event("a", 15), event("b", 16)))
    val killed = new Run(named(b(named(a(keyed(stream(in))), "a")), "b"), checkpoint)
    killed.failIn = _ => true
    killed.start().awaitEnd()
    val again = new Run(named(b(named(a(keyed(stream(in))), "a")), "b"), checkpoint)
    again.start().settle()
    // The rows at 15 and 16 are late: the watermark of 17 was the one of an operator without name.
    assert(again.answer === Seq("a|25|1", "a|25|2"))
    assert(again.lateRows === Map("a" -> 2L))
    again.stop()
    addFile(in, 3, Seq(event("a", 25), event("a", 30), event("a", 30)))
    val moved = new Run(named(a(named(b(keyed(stream(in))), "b")), "a"), checkpoint)
    assert(moved.start().settle().answer === Seq("a|30|1"))
  }

  test("a hint in SQL is a name too, as a text or a word, in any case") {
    Seq("TIDEGATE_NAME('ten')", "tidegate_name(ten)").foreach { hint =>
      val in = events()
      keyed(in.toDF()).createOrReplaceTempView("keyed_events")
      in.addData(event("a", 5), event("a", 25))
      val run = new Run(
        spark.sql(
          s"SELECT /*+ $hint */ window_start, count(*) AS c FROM TUMBLE(TABLE(keyed_events), " +
            "DESCRIPTOR(time), INTERVAL 10 SECONDS) GROUP BY window_start, window_end"
        )
      ).start().settle()
      assert(operatorsOf(run) === Set("ten"))
      assert(run.answer === Seq("0|1"))
      run.stop()
    }
  }

  test("an operator whose input has several times has its name") {
    val in = events()
    keyed(in.toDF()).createOrReplaceTempView("keyed_events")
    in.addData(event("a", 5), event("a", 25))
    val run = new Run(
      spark.sql(
        "SELECT /*+ TIDEGATE_NAME('ten') */ window_start, window_time, count(*) AS c FROM " +
          "TUMBLE(TABLE(keyed_events), DESCRIPTOR(time), INTERVAL 10 SECONDS) " +
          "GROUP BY window_start, window_end, window_time"
      )
    ).start().settle()
    assert(operatorsOf(run) === Set("ten"))
  }

  test("one batch with names is enough: moved after it, and without names again") {
    def a(in: DataFrame) = in.dropDuplicates("time", "n")
    def b(in: DataFrame) = in.dropDuplicates("time", "n", "sub")
    def named(in: Dataset[_], name: String) = in.tidegateName(name).toDF()
    val (in, checkpoint) = (EventFiles.of(rows.take(2): _*), newCheckpoint())
    new Run(b(a(keyed(stream(in)))), checkpoint).start().settle().stop()
    // The first batch begins as the query starts, and its rows do not move the watermark.
    addFile(in, 2, Seq(event("a", 17, 5)))
    val first = new Run(named(b(named(a(keyed(stream(in))), "a")), "b"), checkpoint)
    val last = first.log.map(_.id).max
    first.failIn = _ > last + 1
    first.start().awaitEnd()
    assert(first.answer === Seq("a|17|5"))
    addFile(in, 3, Seq(event("b", 17, 5), event("b", 18), event("a", 18), event("a", 15)))
    val moved = new Run(named(a(named(b(keyed(stream(in))), "b")), "a"), checkpoint)
    assert(moved.start().settle().answer === Seq("b|18|1"))
    assert(moved.lateRows === Map("b" -> 1L))
    moved.stop()
    addFile(in, 4, Seq(event("a", 18, 2), event("a", 16)))
    val plain = new Run(a(b(keyed(stream(in)))), checkpoint)
    assert(plain.start().settle().answer === Seq("a|18|2"))
    assert(plain.lateRows === Map("deduplicate" -> 1L))
  }

  test("the very first batch is enough too") {
    def a(in: DataFrame) = in.dropDuplicates("time", "n").tidegateName("a").toDF()
    def b(in: DataFrame) = in.dropDuplicates("time", "sub").tidegateName("b").toDF()
    val (in, checkpoint) = (EventFiles.of(Seq(event("a", 5))), newCheckpoint())
    val first = new Run(b(a(keyed(stream(in)))), checkpoint)
    first.failIn = _ > 0
    first.start().awaitEnd()
    Checkpoints.keepOffsets(checkpoint, 0, Seq(0))
    addFile(in, 1, Seq(event("b", 5), event("a", 5, 2), event("b", 5, 2)))
    val moved = new Run(a(b(keyed(stream(in)))), checkpoint).start().settle()
    assert(moved.answer === Nil)
  }

  test("in a batch, over an order by an aggregate and in a subquery, a name has no effect") {
    EventFiles.table(spark, EventFiles.of(rows: _*)).createOrReplaceTempView("rows")
    val counts = "SELECT %s n, count(*) AS c FROM rows GROUP BY n ORDER BY count(*)"
    def answer(sql: String) = spark.sql(sql).collect().toSeq
    assert(answer(counts.format("/*+ TIDEGATE_NAME('n') */")) === answer(counts.format("")))
    assert(
      answer(
        "SELECT count(*) FROM rows WHERE n IN (SELECT /*+ TIDEGATE_NAME('n') */ max(n) FROM rows)"
      ) === answer("SELECT count(*) FROM rows WHERE n IN (SELECT max(n) FROM rows)")
    )
  }

  test("on batch data a name has no effect") {
    val table = EventFiles.table(spark, EventFiles.of(rows: _*))
    val plain = counts(table, 10, 10)
    assert(plain.tidegateName("ten").collect().toSet === plain.collect().toSet)
    assert(!plain.tidegateName("ten").queryExecution.optimizedPlan.toString.contains("Named"))
  }

  private def refused(message: String)(frame: => Dataset[_]): Unit = {
    val error = intercept[AnalysisException](new Run(frame.toDF()).start())
    assert(error.getMessage.takeWhile(_ != '\n').replaceAll(" SQLSTATE.*", "") === message)
  }

  test("names that cannot be given are refused, each with a sentence") {
    val in = events()
    def ten = counts(keyed(in.toDF()), 10, 10)
    val noWord = "[TIDEGATE_OPERATOR_NAME_NO_WORD] The name of an operator is '%s', but must be a " +
      "word of letters, digits, `_` and `-` that does not begin with a digit or `-`. Use a name " +
      "such as 'hourly'."
    refused(noWord.format("two words"))(ten.tidegateName("two words"))
    refused(noWord.format("a.b"))(ten.tidegateName("a.b"))
    refused(noWord.format(""))(ten.tidegateName(""))
    refused(noWord.format(""))(ten.tidegateName(null))
    refused(noWord.format("5 (Literal)"))(ten.hint("tidegate_name", 5))
    refused(noWord.format("true (Literal)"))(ten.hint("tidegate_name", true))
    val count =
      "[TIDEGATE_OPERATOR_NAME_COUNT] TIDEGATE_NAME takes one name, but found %s. Write " +
        "it as TIDEGATE_NAME('hourly')."
    refused(count.format("none"))(ten.hint("tidegate_name"))
    refused(count.format("`a`, `b`"))(ten.hint("tidegate_name", "a", "b"))
    val reserved = "[TIDEGATE_OPERATOR_NAME_RESERVED] The name `%s` cannot be given to an " +
      "operator, because it belongs to %s. Use another name, such as 'hourly'."
    refused(reserved.format("aggregate-2", "operators of the kind `aggregate`"))(
      ten.tidegateName("aggregate-2")
    )
    refused(reserved.format("times", "a watermark of the query"))(ten.tidegateName("times"))
    refused(reserved.format("t", "a watermark of the query"))(
      counts(in.toDF().withKeyedWatermark("time", "0 seconds", name = "t.left").toDF(), 10, 10)
        .tidegateName("t")
    )
    refused(
      "[TIDEGATE_OPERATOR_NAME_TWICE] The name `ten` is given to two operators of the query. A " +
        "DataFrame that is used twice has its operators twice: give each use a name of its own, " +
        "after the DataFrame is used."
    )(ten.tidegateName("ten").union(ten.tidegateName("ten")))
    refused(
      "[TIDEGATE_OPERATOR_NAMES_OF_ONE] One operator has two names, `b` and `a`: a name goes to " +
        "the first operator with state below. Remove one of the names, or put it right after its " +
        "own operator."
    )(ten.tidegateName("a").where("c > 0").tidegateName("b"))
    refused(
      "[TIDEGATE_OPERATOR_NAME_OF_SEVERAL] The name `both` stands above several operators, " +
        "`aggregate`, `aggregate`, and a name belongs to one. Put it right after its operator."
    )(ten.union(ten).tidegateName("both"))
    val without =
      "[TIDEGATE_OPERATOR_NAME_WITHOUT_OPERATOR] The name `none` has no operator: only " +
        "a stateful operator that drops late rows by a keyed watermark can have a name, such as " +
        "windows, a join or a deduplication by the event time. Put the name right after such an " +
        "operator, or remove it."
    refused(without)(keyed(in.toDF()).tidegateName("none"))
    refused(without)(keyed(in.toDF()).limit(5).tidegateName("none"))
    refused(without)(in.toDF().tidegateName("none"))
    refused(without)(
      counts(in.toDF().withWatermark("time", "0 seconds"), 10, 10).tidegateName("none")
    )
    val complete = intercept[AnalysisException](
      new Run(ten.tidegateName("none").toDF(), mode = OutputMode.Complete()).start()
    )
    assert(complete.getCondition === "TIDEGATE_OPERATOR_NAME_WITHOUT_OPERATOR")
  }

  test("an operator that is not in the checkpoint, and one that is gone: refused by their names") {
    val (in, checkpoint) = (EventFiles.of(rows.take(2): _*), newCheckpoint())
    def ten(name: String) = counts(keyed(stream(in)), 10, 10).tidegateName(name).toDF()
    def twenty(name: String) = counts(keyed(stream(in)), 20, 20).tidegateName(name).toDF()
    new Run(ten("ten").union(twenty("twenty")), checkpoint).start().settle().stop()
    val error = intercept[AnalysisException](
      new Run(twenty("other").union(ten("ten")), checkpoint).start()
    )
    assert(
      error.getMessage.replaceAll(" SQLSTATE.*", "") ===
        "[TIDEGATE_OPERATORS_CHANGED] The operators of the query are not those of the checkpoint: " +
        "the query has `other` more, and lacks `twenty`. An operator is found by its name, or by " +
        "its place if it had none. To move an operator without a name, give the operator a name " +
        "first and run the query once; to add or remove one, start with a new checkpoint."
    )
    assert(Files.exists(checkpoint.resolve("commits/1")))
  }

  test("names and new places at once are refused by Spark, as without names") {
    val (in, checkpoint) = (EventFiles.of(rows.take(2): _*), newCheckpoint())
    def firsts = keyed(stream(in)).dropDuplicates("time", "n")
    withConf("spark.tidegate.deduplication.enabled" -> "false") {
      new Run(counts(firsts, 10, 10), checkpoint).start().settle().stop()
    }
    addFile(in, 2, rows(2))
    val error = intercept[StreamingQueryException] {
      new Run(counts(keyed(stream(in)), 10, 10).tidegateName("ten").toDF(), checkpoint)
        .start()
        .settle()
    }
    assert(
      error.getMessage.contains("STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA")
    )
  }
}
