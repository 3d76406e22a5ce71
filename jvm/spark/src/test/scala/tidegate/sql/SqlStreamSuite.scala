package tidegate
package sql

import java.nio.file.Path

import scala.util.Random

import org.apache.spark.sql.{DataFrame, Row}
import tidegate.own.HarnessTest

/**
 * The SQL table functions on streams: what comes out is what the same text gives on a table, and
 * what Spark's own window functions give, however often the query is killed.
 */
class SqlStreamSuite extends HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "grouped by one of the window's",
    "chains by window_time"
  )

  /**
   * Events of two substreams, each out of order within the lag of 5 seconds; the last ones end it.
   */
  private lazy val folder: Path = {
    val random = new Random(1)
    val batches = (0 until 5).map { i =>
      Seq("a", "b").flatMap { sub =>
        Seq.tabulate(6)(j =>
          event(sub, 100 + i * 20 + j * 3 + random.nextInt(5), random.nextInt(9))
        )
      }
    }
    val end = Seq(event("a", 1000), event("b", 1000))
    files(batches :+ end :+ end: _*)
  }

  /** What is read as `t`, and `o` is it with a watermark. */
  private def view(t: DataFrame): Unit = {
    t.createOrReplaceTempView("t")
    spark.sql("""
      CREATE OR REPLACE TEMPORARY VIEW o AS
      SELECT * FROM impose_order(t, descriptor(time), 5 seconds, substream => descriptor(sub))""")
    ()
  }

  private def over(rows: DataFrame, query: String): DataFrame = {
    view(rows)
    spark.sql(query)
  }

  /** All windows that are closed at the end. */
  private def onTable(query: String): Seq[String] = {
    view(table(folder))
    spark.sql(query).where("we < timestamp_seconds(900)").collect().toSeq.map(text)
  }

  private def text(row: Row): String = KeyedStreamTest.text(row)

  private def united(queries: Seq[String]): String = queries.mkString("\nUNION ALL\n")

  private def checkAsTable(queries: String*): Unit = {
    val run = checkKilled(over(feedOf(folder).toDF(), united(queries)))
    assert(run.answer === onTable(united(queries)).sorted)
    assert(run.rows.nonEmpty)
    assert(run.lateRows.isEmpty)
  }

  private def counts(function: String, keys: String = "window_start, window_end, sub"): String = {
    val sub = if (keys.contains("sub")) "sub" else "'' AS sub"
    s"""SELECT window_start AS ws, window_end AS we, $sub, count(*) AS c, sum(n) AS s
       |FROM $function GROUP BY $keys""".stripMargin
  }

  private def sparkCounts(window: String, keys: String = ", sub"): String = {
    val (group, sub) = (s"$window$keys", if (keys.isEmpty) "''" else "sub")
    val struct = if (window.startsWith("session_window")) "session_window" else "window"
    s"""SELECT $struct.start AS ws, $struct.end AS we, $sub AS sub, count(*) AS c, sum(n) AS s
       |FROM t GROUP BY $group""".stripMargin
  }

  private val tumble = counts("tumble(o, descriptor(time), 10 seconds, 3 seconds)")
  private val hop = counts("hop(o, descriptor(time), 12 seconds, 4 seconds, -1 second)")
  private val cumulate = counts("cumulate(o, descriptor(time), 5 seconds, 15 seconds)")
  private val sessions = counts("session(o PARTITION BY sub, descriptor(time), 4 seconds)")
  private val globalSessions =
    counts("session(o, descriptor(time), 3 seconds)", "window_start, window_end")

  onBothStores("each function, in one query") {
    val query = united(Seq(tumble, hop, cumulate, sessions, globalSessions))
    val run = checkKills(over(stream(folder), query))
    assert(run.answer === onTable(query).sorted)
    assert(run.rows.nonEmpty)
    assert(run.lateRows.isEmpty)
  }

  test("each function gives what Spark's own windows give") {
    def same(ours: String, ofSpark: String) =
      assert(onTable(ours).sorted === onTable(ofSpark).sorted)
    same(tumble, sparkCounts("window(time, '10 seconds', '10 seconds', '3 seconds')"))
    same(hop, sparkCounts("window(time, '12 seconds', '4 seconds', '3 seconds')"))
    same(sessions, sparkCounts("session_window(time, '4 seconds')"))
    same(globalSessions, sparkCounts("session_window(time, '3 seconds')", ""))
    val growing = Seq(5, 10, 15).map { size =>
      s"""SELECT window.start AS ws, window.start + INTERVAL $size SECONDS AS we, sub, count(*) AS c,
         |sum(n) AS s FROM (SELECT *, window(time, '15 seconds') AS window FROM t)
         |WHERE time < window.start + INTERVAL $size SECONDS GROUP BY 1, 2, 3""".stripMargin
    }
    same(cumulate, growing.mkString("\nUNION ALL\n"))
  }

  test("grouped by one of the window's columns, or by more than the window") {
    def by(key: String, end: String) =
      s"SELECT $end AS we, count(*) AS c FROM hop(o, descriptor(time), 10 seconds, 5 seconds) GROUP BY $key"
    checkAsTable(
      by("window_start", "window_start + INTERVAL 10 SECONDS"),
      by("window_end", "window_end"),
      by("window_time", "window_time + INTERVAL 1 MILLISECOND"),
      by("window_start, window_end, window_time", "window_end"),
      by("window_start, time", "window_start + INTERVAL 10 SECONDS"),
      by("window_end, time", "window_end")
    )
  }

  test("the distinct starts") {
    checkAsTable(
      """SELECT window_start + INTERVAL 10 SECONDS AS we, 0L
        |FROM (SELECT DISTINCT window_start FROM tumble(o, descriptor(time), 10 seconds))""".stripMargin
    )
  }

  test("of several windows of a row the last one decides whether it is counted as late") {
    def late(function: String, expected: Long*): Unit = {
      val in = events()
      in.toDF().createOrReplaceTempView("t")
      val run = new Run(spark.sql(s"""
        SELECT window_start, window_end, count(*)
        FROM $function GROUP BY window_start, window_end"""))
      in.addData(event("a", 100))
      run.start().settle()
      for (n <- expected.indices) {
        // 80 and 84 are late in all their windows, 91 and 90 still have an open one.
        in.addData(event("a", Seq(80, 91, 84, 90)(n).toDouble))
        run.settle()
        assert(run.lateRows.values.sum === expected(n))
      }
      run.stop()
    }
    val ordered = "impose_order(t, descriptor(time), 5 seconds)"
    late(s"hop($ordered, descriptor(time), 10 seconds, 5 seconds)", 1, 1, 2, 2)
    late(s"cumulate($ordered, descriptor(time), 5 seconds, 10 seconds)", 1, 1, 2, 2)
    late(s"tumble($ordered, descriptor(time), 5 seconds)", 1, 2, 3, 4)
  }

  test("windows over Spark's own watermark") {
    val in = events()
    in.toDF().withWatermark("time", "5 seconds").createOrReplaceTempView("t")
    val run = new Run(spark.sql("""
      SELECT window_start, window_end, window_time, count(*)
      FROM tumble(TABLE(t), descriptor(time), 10 seconds)
      GROUP BY ALL"""))
    in.addData(event("a", 100), event("a", 103), event("a", 120))
    run.start().settle()
    assert(run.take() === Seq("100|110|109.999|2"))
  }

  test("both kinds of watermark in one query, on a stream each") {
    val (ours, sparks) = (events(), events())
    ours.toDF().createOrReplaceTempView("ours")
    sparks.toDF().withWatermark("time", "5 seconds").createOrReplaceTempView("sparks")
    def counted(kind: String, rows: String) = s"""
      SELECT '$kind', window_end, count(*) FROM tumble($rows, descriptor(time), 10 seconds)
      GROUP BY window_start, window_end"""
    val run = new Run(
      spark.sql(
        counted(
          "ours",
          "impose_order(ours, descriptor(time), 20 seconds)"
        ) + " UNION ALL " + counted(
          "spark",
          "TABLE(sparks)"
        )
      )
    )
    Seq(ours, sparks).foreach(_.addData(event("a", 100), event("a", 116)))
    run.start().settle()
    assert(run.take() === Seq("spark|110|1"))
    ours.addData(event("a", 131))
    run.settle()
    assert(run.take() === Seq("ours|110|1"))
  }

  test("chains by window_time, of every function") {
    def outer(inner: String) =
      s"""SELECT window_start AS ws, window_end AS we, sum(c) AS c FROM tumble(
         |  TABLE(SELECT window_time, count(*) AS c FROM $inner GROUP BY window_start, window_end, window_time),
         |  descriptor(window_time), 20 seconds) GROUP BY window_start, window_end""".stripMargin
    checkAsTable(
      outer("tumble(o, descriptor(time), 5 seconds)"),
      outer("hop(o, descriptor(time), 10 seconds, 5 seconds)"),
      outer("cumulate(o, descriptor(time), 5 seconds, 10 seconds)"),
      outer("session(o, descriptor(time), 3 seconds)")
    )
  }

  test("a join of two windowed streams, and a window over a join") {
    def windowed(name: String, key: Int) =
      s"""(SELECT window_end, count(*) AS c FROM tumble(
         |TABLE(SELECT * FROM impose_order(t, descriptor(time), 5 seconds, $key, name => '$name', substream => 'sub')),
         |descriptor(time), 10 seconds) GROUP BY window_start, window_end)""".stripMargin
    checkAsTable(
      s"""SELECT l.window_end AS we, l.c, r.c FROM ${windowed("l", 0)} l LEFT JOIN ${windowed(
          "r",
          1
        )} r
         |ON l.window_end = r.window_end""".stripMargin
    )
  }
}
