package tidegate
package own.over

import scala.util.Random

import org.apache.spark.sql.DataFrame
import tidegate.own.HarnessTest

/**
 * Random functions with `OVER`, killed in every batch, against Spark's batch result of the same
 * text.
 *
 * Random frames, keys, times, cuts into batches, partitions and state stores, all of them by the
 * seed in the title. `-Dtidegate.cases=100` tries more of them.
 */
class OverProperties extends HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "seed 2",
    "seed 4"
  )

  private val cases = AtNight.cases(few = 4, all = 30)

  override protected def closing: String = "sameBatch"

  for (seed <- 1 to cases) {
    val store = StateStoreKind.all(seed % StateStoreKind.all.size)
    test(s"seed $seed: the rows are those of a table, on ${store.name}") {
      withClue(s"seed $seed: ")(on(Seq(store))(check(new Random(seed), hasPeers = seed % 2 == 0)))
    }
  }

  /** Where rows of one time may come in any order, the functions must not see the order. */
  private def check(random: Random, hasPeers: Boolean): Unit = {
    var n = 0
    // With many rows of a key the state has chunks.
    val (keys, most) = if (random.nextInt(2) == 0) (4, 30) else (2, 300)
    val rows = Seq.tabulate(4 + random.nextInt(3)) { batch =>
      Seq.fill(random.nextInt(most)) {
        n += 1
        val second = batch * 20 + random.nextInt(40)
        event(
          s"s${random.nextInt(keys)}",
          if (hasPeers) second.toDouble else second + (n % 1000 + 0.5) / 1000,
          n
        )
      }
    } :+ Seq(event("s0", 100000, -1))
    val columns = Seq.fill(1 + random.nextInt(4))(column(random, hasPeers)).zipWithIndex.map {
      case (text, i) => s"$text AS c$i"
    }
    def over(frame: DataFrame) =
      frame
        .where("n > 0")
        .selectExpr(Seq("sub", "n", "date_format(time, 'mm:ss.SSS')") ++ columns: _*)
    withConf("spark.sql.shuffle.partitions" -> (1 + random.nextInt(3)).toString) {
      withClue(columns.mkString(", ")) {
        val in = feed(rows: _*)
        val run = checkKilled(over(in.toDF().withKeyedWatermark("time", "40 seconds")))
        val table = spark.createDataset(rows.flatten)(KeyedStreamTest.eventEncoder).toDF()
        assert(run.answer === over(table).collect().map(KeyedStreamTest.text).toSeq.sorted)
        assert(run.lateRows.isEmpty)
      }
    }
  }

  private def column(random: Random, hasPeers: Boolean): String = {
    def of(texts: String*) = texts(random.nextInt(texts.size))
    val anyOrder = Seq(
      "sum(n)",
      "count(*)",
      "avg(n)",
      "min(n)",
      "max(sub)",
      "count_if(n % 2 = 0)",
      "sum(CAST(n AS DECIMAL(20, 2)))",
      "percentile(n, 0.5)",
      "approx_count_distinct(n % 5)"
    )
    val inOrder =
      Seq("first(n)", "last(sub)", "collect_list(n)", "first_value(n + 1)", "min_by(n, sub)")
    val keys = of("PARTITION BY sub", "PARTITION BY sub, n % 2", "PARTITION BY n % 3 = 0", "")
    val order = "ORDER BY time"
    val range = of(
      "RANGE BETWEEN INTERVAL 10 SECONDS PRECEDING AND CURRENT ROW",
      "RANGE BETWEEN INTERVAL '1 00:00:00' DAY TO SECOND PRECEDING AND INTERVAL '0 00:00:05' DAY TO SECOND PRECEDING",
      "RANGE BETWEEN INTERVAL 3 SECONDS PRECEDING AND INTERVAL 1 SECOND PRECEDING",
      "RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 4 SECONDS PRECEDING",
      "RANGE CURRENT ROW",
      ""
    )
    val rows = of(
      "ROWS BETWEEN 4 PRECEDING AND CURRENT ROW",
      "ROWS BETWEEN 7 PRECEDING AND 3 PRECEDING",
      "ROWS BETWEEN 200 PRECEDING AND CURRENT ROW",
      "ROWS BETWEEN 280 PRECEDING AND 70 PRECEDING",
      "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
      "ROWS UNBOUNDED PRECEDING",
      "ROWS CURRENT ROW"
    )
    if (hasPeers) s"${of(anyOrder: _*)} OVER ($keys $order $range)"
    else
      random.nextInt(5) match {
        case 0 =>
          s"${of("row_number()", "lag(n)", "lag(sub, 3)", "lag(n, 2, -n)")} OVER ($keys $order)"
        case 1 => s"${of(anyOrder ++ inOrder: _*)} OVER ($keys $order $range)"
        case _ => s"${of(anyOrder ++ inOrder: _*)} OVER ($keys $order $rows)"
      }
  }
}
