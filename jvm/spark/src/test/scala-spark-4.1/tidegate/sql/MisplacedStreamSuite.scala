package tidegate
package sql

import org.apache.spark.sql.AnalysisException

/** `STREAM` before a call: Spark 4.1 cannot read it, and later versions may not keep it there. */
class MisplacedStreamSuite extends KeyedStreamTest {

  test("the error is that of later versions, at the call") {
    val call = "TUMBLE(TABLE t, DESCRIPTOR(time), 5 seconds)"
    Seq(s"STREAM $call", s"STREAM($call)", s"u JOIN STREAM $call", s"STREAM $call WHERE x = :x")
      .foreach { from =>
        val sql = s"SELECT *\nFROM $from"
        val e = intercept[AnalysisException](spark.sql(sql, Map("x" -> 1)))
        assert(
          e.getMessage.linesIterator.find(_.nonEmpty).get.takeWhile(_ != ';') ===
            "[TIDEGATE_STREAM_MISPLACED] STREAM stands before TUMBLE, which is no source. Put " +
            "STREAM to the table: TUMBLE(TABLE(STREAM t), ...). SQLSTATE: 42601",
          from
        )
        assert(e.getQueryContext.map(_.fragment).toSeq === Seq(call), from)
      }
  }
}
