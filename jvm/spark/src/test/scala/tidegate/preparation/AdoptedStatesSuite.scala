package tidegate
package preparation

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.operators.{BufferByTimer, SilenceByState}

/**
 * Checkpoints that move there and back, with every kind of state: a query of all operators on the
 * stores that are tested, and each function with state on one of those that it allows.
 */
class AdoptedStatesSuite extends AdoptionTest {

  override protected def atNight: Seq[String] = Seq(
    "all operators, on HDFS",
    "on RocksDB state with changelogs, after 1",
    "on HDFS-backed state, after 1"
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

  private val all: DataFrame => DataFrame = { in =>
    val operators =
      ("windows" -> ((in: DataFrame) => count10(watched(in)))) +: (queries.tail ++ more)
    Branches.of(operators.map { case (title, query) => title -> query(in) })
  }

  private val cases: Seq[(String, DataFrame => DataFrame, StateStoreKind)] =
    StateStoreKind.tested.map(("all operators", all, _)) ++ Seq(
      (
        "flatMapGroupsWithState",
        (in: DataFrame) => SilenceByState(watched(in)).select("n", "events"),
        StateStoreKind.tested.head
      ),
      // Spark refuses rows at the watermark as the output of such a function, and rows have whole
      // seconds.
      (
        "transformWithState",
        (in: DataFrame) => BufferByTimer(in.withWatermark("time", "2500 milliseconds")),
        StateStoreKind.tested.filterNot(_ == StateStoreKind.hdfs).head
      )
    )

  for ((title, query, store) <- cases; files <- Seq(1, 3))
    test(s"$title, on ${store.name}, after $files files") {
      withConf(store.conf.toSeq: _*)(checkThereAndBack(query, files))
    }
}
