package tidegate

import org.apache.spark.SparkException

/** What only later versions of Spark have, and what Spark itself says instead. */
class SparkRefusalsSuite extends KeyedStreamTest {

  private def sentence(e: Throwable): String = e.getMessage.linesIterator.find(_.nonEmpty).get

  test("scripts, without the setting") {
    val e = intercept[Exception](spark.sql("BEGIN SELECT 1; END"))
    assert(sentence(e).contains("spark.sql.scripting.enabled"))
  }

  test("a format of the state of joins") {
    val e = intercept[IllegalArgumentException] {
      withConf("spark.sql.streaming.join.stateFormatVersion" -> "3")(())
    }
    assert(
      sentence(e) ===
        "'3' in spark.sql.streaming.join.stateFormatVersion is invalid. Valid versions are 1 and 2"
    )
  }

  test("Spark's reader of states does not know checkpoint format 2") {
    withConf(
      "spark.sql.streaming.stateStore.providerClass" ->
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
      "spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2"
    ) {
      val in = events()
      val run = new Run(
        in.toDF().withKeyedWatermark("time", "0 seconds").groupBy("time").count()
      ).start()
      in.addData(event("a", 3))
      run.settle()
      run.stop()
      val e = intercept[SparkException] {
        spark.read.format("statestore").load(run.checkpoint.toString).collect()
      }
      assert(
        sentence(e) === "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred during loading " +
          "state.  SQLSTATE: 58030"
      )
    }
  }
}
