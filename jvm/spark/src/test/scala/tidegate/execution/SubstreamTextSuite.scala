package tidegate
package execution

import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.unsafe.types.UTF8String

/** Different values name different substreams. */
class SubstreamTextSuite extends KeyedStreamTest {

  private def text(value: Any, dataType: DataType): String =
    SubstreamText(BoundReference(0, dataType, nullable = true))
      .eval(new GenericInternalRow(Array[Any](value)))
      .toString

  private def utf8(s: String) = UTF8String.fromString(s)
  private def array(values: Any*) = new GenericArrayData(values.toArray[Any])
  private def row(values: Any*) = new GenericInternalRow(values.toArray[Any])

  test("bytes, lists and structs that look alike have texts of their own") {
    assert(text(Array[Byte](-1, 0, 65), BinaryType) === "ff0041")
    val texts = ArrayType(StringType)
    val lists = Seq(
      array(utf8("a, b")) -> """["a, b"]""",
      array(utf8("a"), utf8("b")) -> """["a","b"]""",
      array(utf8("a\",\"b")) -> """["a\",\"b"]""",
      array(utf8("a\\"), utf8("b")) -> """["a\\","b"]""",
      array(null) -> "[null]",
      array(utf8("null")) -> """["null"]""",
      array() -> "[]"
    )
    lists.foreach { case (value, expected) => assert(text(value, texts) === expected) }
    val struct = new StructType().add("a", StringType).add("b", texts)
    assert(text(row(null, array(utf8("x"))), struct) === """{null,["x"]}""")
    assert(text(row(utf8("x"), null), struct) === """{"x",null}""")
  }

  private def substreams(rows: DataFrame): Set[String] = {
    val folder = newCheckpoint().resolve("in").toString
    rows.write.parquet(folder)
    val in = spark.readStream.schema(rows.schema).parquet(folder)
    val run = new Run(in.withKeyedWatermark("time", "0 seconds", substream = Seq("by")))
    run.start().settle()
    run.running.figures.watermarks("time").substreams.keySet
  }

  private def rows(values: String*): DataFrame =
    values
      .map(v => spark.range(1).select(expr(v).as("by"), lit(at(5)).as("time")))
      .reduce(_ union _)

  test("in a query: bytes that are no text, of type BINARY and of type STRING") {
    assert(substreams(rows("X'ff'", "X'fe'", "X'41'")) === Set("ff", "fe", "41"))
    assert(
      substreams(rows("CAST(X'ff' AS STRING)", "CAST(X'fe' AS STRING)", "'\\\\xff'", "'a/b'")) ===
        Set("\\xff", "\\xfe", "\\\\xff", "a\\/b")
    )
  }

  test(
    "in a query: the hour that clocks go back, and lists of times, do not depend on the session"
  ) {
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      val times = Seq("TIMESTAMP'2026-10-25 00:30:00Z'", "TIMESTAMP'2026-10-25 01:30:00Z'")
      assert(
        substreams(rows(times: _*)) === Set("2026-10-25 00:30:00", "2026-10-25 01:30:00")
      )
      assert(
        substreams(rows(times.map(t => s"array($t)"): _*)) ===
          Set("[2026-10-25 00:30:00]", "[2026-10-25 01:30:00]")
      )
    }
    assert(substreams(rows("named_struct('a', 1, 'b', 'x')")) === Set("{1,\"x\"}"))
  }

  test("a type without texts of its own is refused") {
    val error = intercept[AnalysisException] {
      events()
        .toDF()
        .withColumn("by", expr("map('a', 1)"))
        .withKeyedWatermark("time", "0 seconds", substream = Seq("by"))
    }
    assert(
      error.getMessage === "[TIDEGATE_SUBSTREAM_TYPE] The substream column `by` has the type " +
        "MAP<STRING, INT>, whose values cannot be compared. Use a column of a simple type, such " +
        "as STRING or INT. SQLSTATE: 42K09"
    )
  }
}
