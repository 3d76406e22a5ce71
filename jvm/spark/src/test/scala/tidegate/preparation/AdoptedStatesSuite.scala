package tidegate
package preparation

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.operators.{BufferByTimer, SilenceByState}

/**
 * Checkpoints that move there and back, with every kind of state: windows on the stores that are
 * tested, every other query on one of those that its operators allow.
 */
class AdoptedStatesSuite extends AdoptionTest {
  private val onRocksDb = StateStoreKind.tested.filterNot(_ == StateStoreKind.hdfs)

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
    },
    "flatMapGroupsWithState" -> (in => SilenceByState(watched(in)).select("n", "events")),
    // Spark refuses rows at the watermark as the output of such a function, and rows have whole seconds.
    "transformWithState" -> (in => BufferByTimer(in.withWatermark("time", "2500 milliseconds")))
  )

  private val cases: Seq[(String, DataFrame => DataFrame, StateStoreKind)] =
    StateStoreKind.tested.map(("windows", (in: DataFrame) => count10(watched(in)), _)) ++
      (queries.tail ++ more).zipWithIndex.map { case ((title, query), i) =>
        // These are on the default store in the suite of adopted checkpoints.
        val isThere = queries.exists(_._1 == title)
        val stores =
          if (isThere || title == "transformWithState") onRocksDb else StateStoreKind.tested
        (title, query, stores(i % stores.size))
      }

  for ((title, query, store) <- cases; files <- Seq(1, 3))
    test(s"$title, on ${store.name}, after $files files") {
      withConf(store.conf.toSeq: _*)(checkThereAndBack(query, files))
    }
}
