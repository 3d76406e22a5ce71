package tidegate

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.streaming.StreamingQueryException

/** What comes with Spark 4.2, and Spark itself refuses before in a sentence that says so. */
class OlderSparkSuite extends KeyedStreamTest {

  private def sentence(e: Throwable): String = e.getMessage.linesIterator.find(_.nonEmpty).get

  test("a schema before the name of a table function") {
    for (name <- Seq("TUMBLE", "f")) {
      val e = intercept[ParseException] {
        spark.sql(s"SELECT * FROM default.$name(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 SECONDS)")
      }
      assert(
        sentence(e) === "[INVALID_SQL_SYNTAX.INVALID_TABLE_VALUED_FUNC_NAME] Invalid SQL syntax: " +
          s"Table valued function cannot specify database name: `default`.`$name`. SQLSTATE: 42000"
      )
    }
  }

  test("a format of the state of joins") {
    val e = intercept[IllegalArgumentException] {
      withConf("spark.sql.streaming.join.stateFormatVersion" -> "4")(())
    }
    assert(sentence(e).contains("Valid versions are"))
  }

  test("a checkpoint whose offset log is by names") {
    val checkpoint = newCheckpoint()
    val in = events()
    def run() = new Run(
      in.toDF().withKeyedWatermark("time", "0 seconds").groupBy("time").count(),
      checkpoint
    ).start()
    in.addData(event("a", 3))
    run().settle().stop()
    Checkpoints.edit(checkpoint.resolve("offsets/0"))("v2" + _.stripPrefix("v1"))
    val e = intercept[Exception](run().settle())
    val cause = e match {
      case q: StreamingQueryException => q.cause
      case other                      => other
    }
    assert(
      sentence(cause).contains(
        "The maximum supported log version is v1, but encountered v2. The log file was produced by " +
          "a newer version of Spark and cannot be read by this version. You need to upgrade."
      )
    )
  }
}
