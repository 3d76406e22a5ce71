package tidegate
package sql

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, count, window}

class WindowedCountSuite extends KeyedStreamTest {

  private def counts(df: DataFrame, size: String = "10 seconds"): DataFrame =
    df.groupBy(window(col("time"), size)).agg(count("*"))

  test("a lagging substream holds the windows open, and none of its rows is lost") {
    val in = events()
    val run = new Run(
      counts(in.toDF().withKeyedWatermark("time", "1 second", substream = Seq("sub")))
    ).start()
    in.addData(event("a", 5), event("b", 5))
    run.settle()
    in.addData(event("a", 65))
    run.settle()
    assert(run.take() === Nil)
    assert(run.watermark("time") === Some(4000L))
    in.addData(event("b", 8))
    run.settle()
    in.addData(event("b", 21))
    run.settle()
    assert(run.take() === Seq("[0,10)|3"))
    in.addData(event("b", 9))
    run.settle()
    assert(run.lateRows === Map("aggregate" -> 1L))
    assert(run.take() === Nil)
  }
}
