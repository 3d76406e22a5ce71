package tidegate
package own

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.functions.{col, count, session_window, window}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.builders.Between
import tidegate.own.windows.FrameTest
import tidegate.preparation.OwnOperators

/** What is true of each operator of our own, and is decided in one place. */
class OwnOperatorsSuite extends RestartTest {

  private def keyed(in: DataFrame, time: String = "time", key: Int = 0): DataFrame =
    in.withColumnRenamed("time", time).withKeyedWatermark(time, "2 seconds", key)

  /** For each operator, a query with it, and the name of the operator in the query. */
  private val queries = Map[String, (String, DataFrame => DataFrame)](
    "windows" -> ("aggregate" -> { in =>
      keyed(in).groupBy(window(col("time"), "5 seconds")).agg(count("*"))
    }),
    "sessions" -> ("aggregate" -> { in =>
      keyed(in).groupBy(session_window(col("time"), "5 seconds"), col("n") % 2).agg(count("*"))
    }),
    "deduplication" -> ("deduplicate" -> (keyed(_).dropDuplicates("time"))),
    "join" -> ("join" -> { in =>
      keyed(in).streamJoin(
        keyed(in, "later", 1),
        Seq("n"),
        "inner",
        Between("later", "time", "0 seconds", "9 seconds")
      )
    }),
    "asof" -> ("asOfJoin" -> (in => keyed(in).asOfJoin(keyed(in, "since", 1), Seq("n")))),
    "order" -> ("orderByEventTime" -> (keyed(_).orderByEventTime(Seq("n")))),
    "over" -> ("over" -> (keyed(_).selectExpr("sum(n) OVER (PARTITION BY sub ORDER BY time)")))
  )

  private val first = Seq(event("a", 5, 1), event("a", 6, 2))
  private val second = Seq(event("a", 5, 3), event("a", 20, 4))
  private val third = Seq(event("a", 40, 5), event("a", 41, 6))

  private def operators(run: Run): Seq[String] = {
    val plan = SparkInternals.execution(run.query).get.lastExecution.executedPlan
    FrameTest.collect(plan) { case own: OwnOperatorExec => own.shortName }
  }

  /** The rows of three runs, each with other settings. */
  private def rows(query: DataFrame => DataFrame, settings: Seq[(String, String)]*)(
      use: Run => Unit
  ): Seq[String] = {
    val in = events()
    val run = new Run(query(in.toDF()))
    for ((batch, conf) <- Seq(first, second, third).zip(settings)) withConf(conf: _*) {
      run.start()
      in.addData(batch: _*)
      run.settle()
      use(run)
      run.stop()
    }
    run.rows.map(_.toString).sorted
  }

  /** Changes the mark of the state. */
  private def rewrite(checkpoint: Path, from: String, to: String): Unit = {
    val files = Files.walk(checkpoint.resolve("state").resolve("1000"))
    val schemas =
      try files.iterator.asScala.filter(_.endsWith("_metadata/schema")).toVector
      finally files.close()
    assert(schemas.size === 1)
    Checkpoints.edit(schemas.head, ISO_8859_1)(_.replace(from, to))
  }

  test("each operator has a query here") {
    assert(OwnOperators.all.map(_.noun).toSet === queries.keySet)
    assert(
      OwnOperators.all.flatMap(_.enabled).map(_.key).toSet ===
        (queries.keySet -- Set("asof", "order", "over")).map(noun =>
          s"spark.tidegate.$noun.enabled"
        )
    )
  }

  for ((noun, (name, query)) <- queries) {
    onBothStores(s"$noun: a state of an unknown format is refused, and continues in its own") {
      val in = events()
      val run = new Run(query(in.toDF())).start()
      in.addData(first: _*)
      run.settle().stop()
      def refusal(from: String, to: String) = {
        rewrite(run.checkpoint, from, to)
        val error = intercept[AnalysisException](run.start())
        rewrite(run.checkpoint, to, from)
        error.getMessage.split(";\n").head
      }
      assert(
        refusal("\"format\":1", "\"format\":2") ===
          s"[TIDEGATE_NEWER_STATE] The checkpoint was written by a newer Tidegate: the state of $name " +
          "has format 2, and this version reads up to 1. Use the newer version. SQLSTATE: KD000"
      )
      val unmarked = refusal("tidegate.state", "tidegate.other")
      assert(
        unmarked.startsWith(s"[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `$name`: ")
      )
      assert(
        unmarked.endsWith(
          ". But no released version of Tidegate wrote it: its schema has no mark of the operator. " +
            "Start the query as it was, or with a new checkpoint; nothing in this one was changed. " +
            "SQLSTATE: 42K03"
        )
      )
      in.addData(second: _*)
      run.start().settle()
      // Below functions with OVER is an order.
      assert(operators(run).headOption === OwnOperators.all.find(_.noun == noun).map(_.kind))
      run.stop()
    }
  }

  test("another operator of ours in the place of the first is refused") {
    val in = events()
    val run = new Run(queries("deduplication")._2(in.toDF())).start()
    in.addData(first: _*)
    run.settle().stop()
    val error = intercept[AnalysisException] {
      new Run(queries("order")._2(in.toDF()), run.checkpoint).start()
    }
    assert(error.getCondition === "TIDEGATE_STATE_REFUSED")
    assert(
      error.getMessage.contains("But the query has no deduplication by keys and a time there.")
    )
  }

  for (own <- OwnOperators.all; setting <- own.enabled) {
    val (_, query) = queries(own.noun)
    val (on, off) = (Seq(setting.key -> "true"), Seq(setting.key -> "false"))

    test(s"${own.noun}: a query that began with our operator continues with it, setting or not") {
      val found = rows(query, on, off, on)(run => assert(operators(run) === Seq(own.kind)))
      assert(found.nonEmpty)
      assert(found === rows(query, on, on, on)(_ => ()))
    }

    test(s"${own.noun}: a query that began with Spark's operator continues with it") {
      val found = rows(query, off, on, on)(run => assert(operators(run) === Nil))
      assert(found === rows(query, on, on, on)(_ => ()))
    }
  }
}
