package tidegate
package analysis

import java.nio.file.Path

import scala.util.Random

import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{DataFrame, Row}

/**
 * Operators over odd histories: NULL in keys and values, times before 1970, batches without rows,
 * another start, with other settings, for each batch. The rows are those of the same text over a
 * table.
 *
 * `-Dtidegate.cases=20` tries more histories.
 */
class OddHistoriesSuite extends SameTextTest {
  import OddHistoriesSuite._

  override protected def atNight: Seq[String] = Seq("seed")

  for (seed <- 1 to AtNight.cases(few = 2, all = 8))
    test(s"seed $seed: the rows are those of a table") {
      val random = new Random(seed)
      val input = history(random)
      random.shuffle(texts).foreach { text =>
        withClue(s"seed $seed, $text: ")(check(random, input, text))
      }
    }

  /** Each number once, so that no two rows are equal; and no two rows of one time. */
  private def history(random: Random): Path = {
    val before1970 = if (random.nextBoolean()) -90 else 100000
    val batches = Seq.tabulate(7) { batch =>
      if (random.nextInt(4) == 0) Nil
      else
        Seq.tabulate(random.nextInt(25)) { i =>
          val n = batch * 30 + i + 1
          event(
            s"s${random.nextInt(4)}",
            before1970 + batch * 20 + random.nextInt(30) + n / 1000.0,
            n
          )
        }
    }
    files(batches :+ Seq(event("s0", 1000000, 0)): _*)
  }

  private def odd(rows: DataFrame): DataFrame = rows.selectExpr(
    "nullif(sub, 's3') AS sub",
    "time",
    "n",
    "if(n % 5 = 0, NULL, n % 9) AS v"
  )

  private def result(rows: DataFrame, text: String): DataFrame = {
    rows.where("n > 0").createOrReplaceTempView("events")
    spark.sql(text)
  }

  private def check(random: Random, input: Path, text: OddText): Unit = {
    val wanted =
      result(odd(table(input)), text.sql).collect().map(KeyedStreamTest.text).toSeq.sorted
    on(Seq("HDFSBacked", "RocksDB")(random.nextInt(2))) {
      val run = new Run(
        result(odd(stream(input)).withKeyedWatermark("time", "35 seconds"), text.sql),
        mode = if (text.keys > 0) OutputMode.Update() else OutputMode.Append()
      )
      var (batch, isOver) = (0L, false)
      while (!isOver) {
        isOver = true
        run.failIn = id => {
          if (id == batch) isOver = false
          id == batch
        }
        val closing = if (random.nextBoolean()) "sameBatch" else "nextBatch"
        withConf("spark.tidegate.closing" -> closing)(run.start().awaitEnd())
        batch += 1
      }
      run.failIn = _ => false
      run.start().settle().stop()
      val rows =
        if (text.keys == 0) run.rows
        else
          run.rows
            .foldLeft(Map.empty[Seq[Any], Row]) { (known, row) =>
              known.updated(row.toSeq.take(text.keys), row)
            }
            .values
            .toSeq
      assert(rows.map(KeyedStreamTest.text).sorted === wanted)
      assert(run.lateRows.isEmpty)
    }
  }
}

object OddHistoriesSuite {

  /** @param keys how many columns are the keys of updates; none in output mode append */
  private final case class OddText(sql: String, keys: Int = 0) {
    override def toString: String = sql
  }

  private val windows =
    "HOP(TABLE(events), DESCRIPTOR(time), INTERVAL 40 SECONDS, INTERVAL 10 SECONDS)"
  private val counts =
    s"SELECT window_start, window_end, window_time, sub, count(v) AS c FROM $windows " +
      "GROUP BY window_start, window_end, window_time, sub"
  private val versions =
    "WITH versions AS (SELECT sub AS id, time AS since, v AS version FROM events " +
      "WHERE n % 3 = 0)"

  private val texts = Seq(
    OddText(
      "SELECT sub, n, sum(v) OVER w, min(v) OVER w, lag(v) OVER (PARTITION BY sub ORDER BY time) " +
        "FROM events WINDOW w AS (PARTITION BY sub ORDER BY time RANGE INTERVAL 15 SECONDS PRECEDING)"
    ),
    OddText(
      "SELECT n, avg(v) OVER (PARTITION BY v ORDER BY time ROWS 3 PRECEDING), " +
        "row_number() OVER (PARTITION BY v ORDER BY time) FROM events"
    ),
    OddText(
      s"$versions SELECT e.n, r.version, r.since FROM events e LEFT JOIN versions " +
        "FOR SYSTEM_TIME AS OF e.time r ON e.sub = r.id"
    ),
    OddText(
      s"$versions SELECT e.n, r.version, r.since FROM events e JOIN versions " +
        "FOR SYSTEM_TIME AS OF e.time r ON e.sub = r.id AND r.version > 3"
    ),
    OddText(
      "SELECT * FROM (SELECT window_end, sub, v, n, ROW_NUMBER() OVER (PARTITION BY window_start, " +
        s"window_end, sub ORDER BY v DESC, n) AS r FROM $windows) WHERE r <= 2"
    ),
    OddText(
      "SELECT * FROM (SELECT window_end, v, n, RANK() OVER (PARTITION BY window_start, " +
        s"window_end ORDER BY v NULLS LAST) AS r FROM $windows) WHERE r <= 4"
    ),
    OddText(
      "SELECT sub, r, n, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY sub ORDER BY v DESC, n) " +
        "AS r FROM events) WHERE r <= 3",
      keys = 2
    ),
    OddText(
      s"SELECT sub, max(c), min(window_end), count(*) FROM ($counts) GROUP BY sub",
      keys = 1
    ),
    OddText(
      "SELECT sub, sum(s), count(s) FROM (SELECT sub, sum(v) OVER (PARTITION BY sub ORDER BY time " +
        "RANGE INTERVAL 15 SECONDS PRECEDING) AS s FROM events) GROUP BY sub",
      keys = 1
    ),
    OddText(
      s"$versions SELECT id, count(*), sum(version) FROM (SELECT r.id, r.version FROM events e LEFT " +
        "JOIN versions FOR SYSTEM_TIME AS OF e.time r ON e.sub = r.id) GROUP BY id",
      keys = 1
    ),
    OddText(
      "SELECT sub, r, c, window_end FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY sub ORDER BY c " +
        s"DESC, window_end) AS r FROM ($counts)) WHERE r <= 3",
      keys = 2
    )
  )
}
