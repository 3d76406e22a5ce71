package tidegate

import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.{StoresAtExit, TestQueries}

/**
 * What happens to state stores before the JVM halts; `tests/test_process_end.py` ends processes.
 */
class StoresAtExitSuite extends KeyedStreamTest {

  test("the stores of ended queries are closed") {
    val in = events()
    val counts = in
      .toDF()
      .withKeyedWatermark("time", "1 second", name = "orders")
      .groupBy(window(col("time"), "10 seconds"))
      .count()
    val run = new Run(counts).start()
    in.addData(event("a", 1))
    run.settle().stop()
    assert(TestQueries.openStateStores > 0)
    StoresAtExit.close()
    assert(TestQueries.openStateStores === 0)
  }
}
