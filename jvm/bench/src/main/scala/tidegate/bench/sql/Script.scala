package tidegate.bench.sql

/**
 * Two hundred statements that are analyzed but not run: views, joins, subqueries, windows,
 * commands.
 */
private[sql] object Script {
  private val Statements = 200

  val others: Seq[String] = tables ++ Seq.tabulate(Statements - tables.size)(other)

  /** The same statements, but every tenth counts rows in the windows of a table function. */
  val withCalls: Seq[String] = everyTenth(i =>
    "SELECT window_start, k, count(*) AS n FROM TABLE(tumble(TABLE orders, DESCRIPTOR(ts), " +
      s"$i minutes)) WHERE v > $i GROUP BY window_start, window_end, k"
  )

  val withWindows: Seq[String] = everyTenth(i =>
    s"SELECT window(ts, '$i minutes').start AS window_start, k, count(*) AS n FROM orders " +
      s"WHERE v > $i GROUP BY window(ts, '$i minutes'), k"
  )

  private def everyTenth(counts: Int => String) = others.zipWithIndex.map {
    case (_, i) if i % 10 == 9 => counts(i)
    case (other, _)            => other
  }

  private def tables = Seq(
    "CREATE OR REPLACE TEMPORARY VIEW orders AS SELECT * FROM VALUES " +
      "(1, 'a', TIMESTAMP '2026-01-01 00:00:00', 10.5), (2, 'b', TIMESTAMP '2026-01-01 00:01:00', " +
      "7.25) AS orders(id, k, ts, v)",
    "CREATE OR REPLACE TEMPORARY VIEW customers AS SELECT * FROM VALUES ('a', 'Ada', 1), " +
      "('b', 'Bob', 2) AS customers(k, name, region)",
    "CREATE OR REPLACE TEMPORARY VIEW regions AS SELECT id AS region, concat('r', id) AS title " +
      "FROM range(10)"
  )

  private def other(i: Int): String = i % 8 match {
    case 0 =>
      s"CREATE OR REPLACE TEMPORARY VIEW large_$i AS SELECT id, k, ts, v * $i AS v FROM orders " +
        s"WHERE v > $i"
    case 1 =>
      "SELECT r.title, count(DISTINCT c.k) AS customers, sum(o.v) AS total FROM orders o JOIN " +
        "customers c ON o.k = c.k LEFT JOIN regions r ON c.region = r.region WHERE o.v BETWEEN 1 " +
        s"AND $i GROUP BY r.title HAVING sum(o.v) > $i ORDER BY total DESC LIMIT 10"
    case 2 =>
      s"WITH recent AS (SELECT * FROM orders WHERE ts > TIMESTAMP '2026-01-01' + INTERVAL $i " +
        "MINUTES), totals AS (SELECT k, sum(v) AS total FROM recent GROUP BY k) SELECT c.name, " +
        "t.total FROM totals t JOIN customers c USING (k)"
    case 3 =>
      "SELECT k, ts, v, row_number() OVER (PARTITION BY k ORDER BY ts) AS n, avg(v) OVER " +
        "(PARTITION BY k ORDER BY ts ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS mean, lag(v, " +
        s"${i % 5 + 1}) OVER (PARTITION BY k ORDER BY ts) AS earlier FROM orders"
    case 4 =>
      "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.k = c.k AND o.v " +
        s"> $i) AND region IN (SELECT region FROM regions WHERE title <> 'r$i')"
    case 5 =>
      s"SELECT CASE WHEN v > $i THEN 'large' WHEN v IS NULL THEN 'none' ELSE 'small' END AS size, " +
        "upper(trim(k)) AS k, date_format(ts, 'yyyy-MM-dd') AS day, round(v / 3, 2) AS third FROM " +
        s"orders WHERE k LIKE 'a%' OR id = $i"
    case 6 =>
      s"SELECT k, v FROM orders WHERE v > $i UNION ALL SELECT name, CAST(region AS DECIMAL(3, 2)) " +
        "FROM customers EXCEPT SELECT title, 0 FROM regions"
    case _ =>
      "SELECT date_trunc('hour', ts) AS hour, k, max_by(id, v) AS best, percentile(v, 0.9) AS high " +
        s"FROM orders GROUP BY ROLLUP (date_trunc('hour', ts), k) HAVING count(*) >= $i"
  }
}
