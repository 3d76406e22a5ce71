package tidegate
package preparation

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.operators.{BufferByTimer, SilenceByState}

/**
 * Checkpoints that move there and back, with every kind of state: a query of all operators on the
 * stores that are tested, and each function with state on one of those that it allows.
 */
class AdoptedStatesSuite extends AdoptionTest {

  override protected def atNight: Seq[String] = Seq(
    "all operators, on HDFS",
    "on RocksDB state with changelogs, after 1",
    "on HDFS-backed state, after 1",
    "all joins, format 2",
    "all joins, format 4",
    "all joins, format 3",
    "all joins of a job",
    "all operators of a job"
  )

  private def count10(in: DataFrame): DataFrame =
    in.groupBy(window(col("time"), "10 seconds")).count()

  private val more = Seq[(String, DataFrame => DataFrame)](
    "sessions" -> { in =>
      watched(in).groupBy(session_window(col("time"), "3 seconds"), col("sub")).count()
    },
    "a deduplication within the watermark" -> { in =>
      watched(in).dropDuplicatesWithinWatermark("n", "sub")
    },
    "windows over windows" -> { in =>
      val first = watched(in).groupBy(window(col("time"), "5 seconds")).count()
      first.groupBy(window(window_time(col("window")), "15 seconds")).agg(sum("count"))
    }
  )

  private val plainWindows = "windows" -> ((in: DataFrame) => count10(watched(in)))

  private def branches(queries: Seq[(String, DataFrame => DataFrame)])(in: DataFrame): DataFrame =
    Branches.of(queries.map { case (title, query) => title -> query(in) })

  private val all: DataFrame => DataFrame = branches(plainWindows +: (queries.tail ++ more))

  /** Where Spark knows a key as not NULL depends on the projection below the watermark. */
  private val joins: Seq[(String, DataFrame => DataFrame)] =
    for {
      how <- Seq("inner", "leftOuter", "rightOuter", "fullOuter", "leftSemi")
      isProjected <- Seq(false, true)
      // Spark moves a semi join below a projection above the watermark: its state has other columns.
      if isProjected || how != "leftSemi"
    } yield s"$how join, projected: $isProjected" -> { (in: DataFrame) =>
      def side(sub: String, prefix: String) = {
        val rows = in.where(s"sub = '$sub'")
        val columns = Seq(col("n").as(s"${prefix}n"), col("time").as(s"${prefix}time"))
        def watched(rows: DataFrame, time: String) = rows.withWatermark(time, "2 seconds")
        if (isProjected) watched(rows.select(columns: _*), s"${prefix}time")
        else watched(rows, "time").select(columns: _*)
      }
      val times = expr("ln = rn AND ltime BETWEEN rtime - INTERVAL 2 SECONDS AND rtime")
      side("a", "l").join(side("b", "r"), times, how)
    }

  private val functions: Seq[(String, DataFrame => DataFrame, StateStoreKind)] = Seq(
    (
      "flatMapGroupsWithState",
      (in: DataFrame) => SilenceByState(watched(in)).select("n", "events"),
      StateStoreKind.hdfs
    ),
    // Spark refuses rows at the watermark as the output of such a function, and rows have whole
    // seconds.
    (
      "transformWithState",
      (in: DataFrame) => BufferByTimer(in.withWatermark("time", "2500 milliseconds")),
      StateStoreKind.tested.filterNot(_ == StateStoreKind.hdfs).head
    )
  )

  private val cases = StateStoreKind.tested.map(("all operators", all, _)) ++ functions

  for ((title, query, store) <- cases; files <- Seq(1, 3))
    test(s"$title, on ${store.name}, after $files files") {
      withConf(store.conf.toSeq: _*)(checkThereAndBack(query, files))
    }

  /** Frames are a state of ours; all others that a replaced job begins with are Spark's. */
  private val keptForSpark: DataFrame => DataFrame =
    branches(plainWindows +: (queries.drop(2) ++ more))

  for ((title, query) <- Seq("all operators" -> keptForSpark, "all joins" -> branches(joins) _))
    test(s"$title of a job that began with keyed watermarks go back")(checkBack(query, files = 3))

  for (format <- Seq(2, 3, 4) if SparkFeatures.hasJoinFormat(format))
    test(s"all joins, format $format on RocksDB, of a job that began with them go back") {
      withConf(
        "spark.sql.streaming.join.stateFormatVersion" -> format.toString,
        "spark.sql.streaming.join.stateFormatV4.enabled" -> (format == 4).toString
      )(on("RocksDB")(checkBack(branches(joins), files = 3)))
    }

  for ((title, query, store) <- functions)
    test(s"$title of a job that began with keyed watermarks goes back") {
      withConf(store.conf.toSeq: _*)(checkBack(query, files = 3))
    }

  test("windows from frames do not go back, and nothing is changed") {
    val folder = EventFiles.of(rows.take(3): _*)
    val run = new Run(queries(1)._2(stream(folder)))
    replacing()(run.start().settle().stop())
    val error = intercept[AnalysisException](release(run.checkpoint.toString))
    assert(error.getCondition === "TIDEGATE_RELEASED_STATE")
    addFile(folder, 3, rows(3))
    replacing()(run.start().settle().stop())
    assert(run.answer.nonEmpty)
  }
}
