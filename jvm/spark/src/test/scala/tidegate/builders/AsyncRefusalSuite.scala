package tidegate
package builders

import scala.concurrent.Future

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import tidegate.plans.{CallColumns, OnError}

/** Every refused call of mapAsync: its condition and its whole sentence. */
class AsyncRefusalSuite extends KeyedStreamTest {

  private def refused(condition: String, sentence: String)(body: => Any): Unit = {
    val error = intercept[AnalysisException](body)
    assert(error.getCondition === s"TIDEGATE_$condition")
    assert(error.getMessage === s"[TIDEGATE_$condition] $sentence SQLSTATE: ${error.getSqlState}")
  }

  private def in: DataFrame = events().toDF()
  private val schema = StructType.fromDDL("n int")
  private val same: Row => Future[Row] = Future.successful

  test("numbers that are too small") {
    def sentence(argument: String, found: Int, smallest: Int, example: Int) =
      s"The argument `$argument` of mapAsync is $found, but must be a whole number of $smallest or " +
        s"more. Use $argument=$example, or leave it out."
    refused("CALL_NUMBER", sentence("maxInFlight", 0, 1, 100))(
      in.mapAsync(schema, maxInFlight = 0)(same)
    )
    refused("CALL_NUMBER", sentence("retries", -1, 0, 2))(in.mapAsync(schema, retries = -1)(same))
    refused("CALL_NUMBER", sentence("breakAfter", 0, 1, 100))(
      in.mapAsync(schema, breakAfter = 0)(same)
    )
  }

  test("an unknown onError") {
    refused(
      "CALL_ON_ERROR",
      "The argument `onError` of mapAsync is 'ignore', but must be one of 'fail', 'null', 'dead " +
        "letter'. Use onError='fail', or leave it out."
    )(in.mapAsync(schema, onError = "ignore")(same))
  }

  test("dead letters without a folder, and a folder without dead letters") {
    def sentence(found: String, onError: String) =
      s"The argument `deadLetters` of mapAsync is $found with onError='$onError', but must be a " +
        "folder with onError='dead letter', and left out otherwise. Give both, or neither of them."
    refused("CALL_DEAD_LETTERS", sentence("left out", "dead letter"))(
      in.mapAsync(schema, onError = "dead letter")(same)
    )
    refused("CALL_DEAD_LETTERS", sentence("'/letters'", "null"))(
      in.mapAsync(schema, onError = "null", deadLetters = "/letters")(same)
    )
  }

  test("a folder of an unknown file system") {
    refused(
      "CALL_DEAD_LETTER_FOLDER",
      "The argument `deadLetters` of mapAsync is 'tape://letters', which is no folder of a file " +
        "system that Spark can write to: No FileSystem for scheme \"tape\". " +
        "Use a path such as '/data/dead-letters', or add the file system to the classpath."
    )(in.mapAsync(schema, onError = "dead letter", deadLetters = "tape://letters")(same))
  }

  test("a timeout that is no duration, or too short") {
    refused(
      "INVALID_DURATION",
      "The argument `timeout` is 'soon', which is not a duration. Use an interval without months " +
        "or years, in whole milliseconds, for example '5 seconds'."
    )(in.mapAsync(schema, timeout = "soon")(same))
    refused(
      "DURATION_TOO_SMALL",
      "The argument `timeout` is '0 seconds', but must be at least 1 ms. Use a duration such as '5 " +
        "seconds'."
    )(in.mapAsync(schema, timeout = "0 seconds")(same))
  }

  test("a column twice, a column of ours, and a column that would be null") {
    refused(
      "CALL_COLUMN_TWICE",
      "The argument `schema` of mapAsync has the column `n` more than once, in capitals or not. " +
        "Give each column a name of its own."
    )(in.mapAsync(StructType.fromDDL("n int, N int"))(same))
    refused(
      "CALL_COLUMN_RESERVED",
      "The argument `schema` of mapAsync has the column `tidegate_micros`, a name that mapAsync " +
        "needs itself. Give the column another name."
    )(in.mapAsync(StructType.fromDDL("tidegate_micros long"))(same))
    refused(
      "CALL_NULL_COLUMN",
      "The argument `schema` of mapAsync declares the column `price` NOT NULL, but with " +
        "onError='null' the column is null in rows whose calls have failed. Make the column " +
        "nullable, or use another onError."
    )(in.mapAsync(StructType.fromDDL("n int not null, price int not null"), onError = "null")(same))
  }

  test("a schema from Python that cannot be read") {
    Seq("id", """{"type": "long"}""", "{").foreach { text =>
      refused(
        "CALL_SCHEMA",
        s"The argument `schema` of mapAsync is '$text', which is no list of columns. Use columns " +
          "and types, for example 'id long, price double'."
      )(new PythonFacade().asyncArguments(in, text, null, "fail"))
    }
  }

  test("a schema from Python is read as DDL or JSON") {
    val read = """{"schema": {"type":"struct","fields":[{"name":"id","type":"long",""" +
      """"nullable":true,"metadata":{}}]}, "timeoutMs": 1500, "calls": """ +
      s"${CallColumns.of(Nil, OnError.Fail).json}}"
    val facade = new PythonFacade()
    assert(facade.asyncArguments(in, "id long", "1500 milliseconds", "fail") === read)
    val json = StructType.fromDDL("id long").json
    assert(facade.asyncArguments(in, json, null, "fail") === read.replace("1500", "null"))
  }
}
