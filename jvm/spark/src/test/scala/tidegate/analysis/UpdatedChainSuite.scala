package tidegate
package analysis

import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.OutputMode

/**
 * Chains in output mode update: the last aggregation updates, what is below appends. The last row
 * of each key is as in the same text over a table.
 */
class UpdatedChainSuite extends SameTextTest {
  import UpdatedChainSuite._

  private val ofTimes = "(SELECT sub, time, max(n) AS most FROM events GROUP BY sub, time)"

  private val ofWindows =
    s"(SELECT sub, window_end, window_time, count(*) AS c, max(n) AS most FROM $hop " +
      "GROUP BY window_start, window_end, window_time, sub)"

  private val joined = "SELECT l.sub, r.n FROM events l LEFT JOIN events r ON r.sub = l.sub AND " +
    "r.n = l.n + 30 AND r.time BETWEEN l.time AND l.time + INTERVAL 20 SECONDS"

  private val chains = Seq(
    Chain("times", s"SELECT sub, avg(most) FROM $ofTimes GROUP BY sub", "StateStoreSave"),
    Chain(
      "windows from frames",
      s"SELECT sub, avg(c), count(DISTINCT most) FROM $ofWindows GROUP BY sub",
      "FrameAggregate"
    ),
    Chain(
      "sessions",
      s"SELECT sub, avg(c) FROM (SELECT sub, count(*) AS c FROM $sessions " +
        "GROUP BY window_start, window_end, sub) GROUP BY sub",
      "SessionAggregate"
    ),
    Chain(
      "a left outer join with bounds",
      s"SELECT sub, count(*), count(n) FROM ($joined) GROUP BY sub",
      "IntervalJoin"
    ),
    Chain(
      "OVER",
      "SELECT sub, max(rate) FROM (SELECT sub, sum(n) OVER (PARTITION BY sub ORDER BY time " +
        "RANGE BETWEEN INTERVAL 20 SECONDS PRECEDING AND CURRENT ROW) AS rate FROM events) " +
        "GROUP BY sub",
      "OverAggregate"
    ),
    Chain(
      "the first rows of windows",
      "SELECT sub, count(*), max(time) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY " +
        s"window_start, window_end ORDER BY n % 7, n) AS r FROM $tumble) WHERE r <= 3 GROUP BY sub",
      "FrameAggregate"
    ),
    Chain(
      "deduplication",
      "SELECT sub, count(*), sum(k) FROM (SELECT DISTINCT sub, time, n % 2 AS k FROM events) " +
        "GROUP BY sub",
      "StateStoreSave"
    ),
    Chain(
      "windows, with a Top-N at the end",
      "SELECT sub, r, c, window_end FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY sub " +
        s"ORDER BY c DESC, window_end) AS r FROM $ofWindows) WHERE r <= 2",
      "FrameAggregate",
      keys = 2
    ),
    Chain(
      "windows of windows, of which the last come again",
      s"SELECT window_end, sum(c) FROM TUMBLE(TABLE($ofWindows), DESCRIPTOR(window_time), " +
        "INTERVAL 1 MINUTE) GROUP BY window_start, window_end",
      "FrameAggregate"
    ),
    Chain(
      "a chain in each branch of a union, over one WITH",
      s"WITH w AS $ofWindows SELECT 1, sub, avg(c) FROM w GROUP BY sub " +
        "UNION ALL SELECT 2, 'all', max(most) FROM w",
      "FrameAggregate",
      keys = 2
    )
  )

  override protected def atNight: Seq[String] = Seq(
    "sessions",
    "deduplication",
    "the first rows of windows",
    "windows of windows",
    "a chain in each branch",
    "times: as in batch",
    "windows from frames",
    "OVER: as in batch",
    "with a Top-N at the end"
  )

  for (chain <- chains) onRocksDb(s"${chain.name}: as in batch, over kills") {
    val run = checkKills(streamed(chain.text), OutputMode.Update())
    val last = run.rows.foldLeft(Map.empty[Seq[Any], Row]) { (known, row) =>
      known.updated(row.toSeq.take(chain.keys), row)
    }
    assert(last.values.map(KeyedStreamTest.text).toSeq.sorted === wanted(chain.text))
    assert(run.rows.size > last.size)
    assert(plan(run).contains(chain.appending))
  }

  test("EXPLAIN says what appends, and why the query closes in the next batch") {
    val run = new Run(streamed(chains.head.text), mode = OutputMode.Update()).start().settle()
    val lines = plan(run).linesIterator.toSeq
    assert(lines.count(_.contains("KeyedOperator")) === 1)
    assert(lines.exists(_.matches(".*KeyedOperator.*aggregate: .*; appends.*")), plan(run))
    assert(
      plan(run).contains("Closing: in the next batch: the operator stateStoreSave is Spark's")
    )
  }
}

object UpdatedChainSuite {

  /**
   * @param appending
   *   the operator below the last aggregation
   * @param keys
   *   how many of the columns are the keys of the last aggregation
   */
  private final case class Chain(name: String, text: String, appending: String, keys: Int = 1)
}
