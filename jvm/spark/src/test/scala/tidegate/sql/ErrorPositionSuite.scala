package tidegate
package sql

import org.apache.spark.sql.AnalysisException

/**
 * Spark's own errors in statements with a call whose spelling was rewritten: they point into the
 * text as the user wrote it.
 */
class ErrorPositionSuite extends KeyedStreamTest {

  /** The statement has guillemets around what the error has to point at. */
  private def pointsAt(marked: String, condition: String, arguments: Map[String, Any]): Unit = {
    spark.sql("SELECT 1 AS id, timestamp_seconds(100) AS time").createOrReplaceTempView("t")
    val (before, rest) = marked.span(_ != '«')
    val fragment = rest.drop(1).takeWhile(_ != '»')
    val sql = marked.replaceAll("[«»]", "")
    val error = intercept[AnalysisException] {
      if (arguments.isEmpty) spark.sql(sql) else spark.sql(sql, arguments)
    }
    assert(error.getCondition.startsWith(condition), sql)
    assert(error.getQueryContext.map(_.fragment).toSeq === Seq(fragment), sql)
    val start = before.codePointCount(before.lastIndexOf('\n') + 1, before.length)
    assert(
      error.line -> error.startPosition === Some(before.count(_ == '\n') + 1) -> Some(start),
      sql
    )
  }

  private val bare = "TUMBLE(TABLE t, DESCRIPTOR(time), 5 seconds)"
  private val wrapped = "TABLE(TUMBLE(t, DESCRIPTOR(time), size => 5 seconds))"
  private val nested = s"HOP($bare, DESCRIPTOR(time), 10 seconds, 5 seconds)"

  for {
    (what, marked, condition) <- Seq(
      ("a column", "SELECT «nope» FROM {}", "UNRESOLVED_COLUMN"),
      ("a column on a later line", "SELECT id,\n  «nope»\nFROM {}", "UNRESOLVED_COLUMN"),
      ("a column behind", "SELECT *\nFROM {}\nWHERE «nope» > 1", "UNRESOLVED_COLUMN"),
      ("a column right behind", "SELECT * FROM {} WHERE «nope» > 1", "UNRESOLVED_COLUMN"),
      ("a type", "SELECT «id + array(1)»,\n  id FROM {}", "DATATYPE_MISMATCH"),
      ("a type behind", "SELECT * FROM {} WHERE «id + array(1)» = 1", "DATATYPE_MISMATCH"),
      ("a column of a join", "SELECT 1 FROM t l JOIN {} r ON «l.nope» = r.id", "UNRESOLVED_COLUMN"),
      ("the key of a group", "SELECT 1 FROM {} GROUP BY\n «nope»", "UNRESOLVED_COLUMN"),
      ("a function", "SELECT * FROM {}\nWHERE «nope(id)»", "UNRESOLVED_ROUTINE"),
      (
        "a table of a subquery behind",
        "SELECT * FROM {}\nWHERE id IN (SELECT id FROM «nope»)",
        "TABLE_OR_VIEW_NOT_FOUND"
      ),
      ("after other letters", "SELECT 'ü' AS w, -- é\n «nope» FROM {}", "UNRESOLVED_COLUMN"),
      ("in a view", "CREATE TEMPORARY VIEW v AS\nSELECT «nope» FROM {}", "UNRESOLVED_COLUMN")
    )
    (form, call) <- Seq("bare" -> bare, "wrapped" -> wrapped, "nested" -> nested)
    hasParameter <- Seq(false, true)
    // A view takes no parameters.
    if !(hasParameter && what == "in a view")
  } test(s"$what, $form${if (hasParameter) ", with a parameter" else ""}") {
    val arguments =
      if (hasParameter) Map[String, Any]("size" -> "5 seconds") else Map.empty[String, Any]
    val written = if (hasParameter) call.replaceFirst("5 seconds", ":size") else call
    pointsAt(marked.replace("{}", written), condition, arguments)
  }

  Seq(
    (
      "a column in the table of a call",
      "SELECT *\nFROM TUMBLE(TABLE(SELECT id,\n «nope» FROM t), DESCRIPTOR(time), 5 seconds)",
      "UNRESOLVED_COLUMN"
    ),
    (
      "a table",
      "SELECT *\nFROM TUMBLE(TABLE «nope», DESCRIPTOR(time), 5 seconds)",
      "TABLE_OR_VIEW_NOT_FOUND"
    ),
    (
      "a table without the word",
      "SELECT * FROM TUMBLE(«nope», DESCRIPTOR(time), 5 seconds)",
      "TABLE_OR_VIEW_NOT_FOUND"
    ),
    (
      "a key",
      "SELECT count(*)\nFROM SESSION(t PARTITION BY id, «nope», DESCRIPTOR(time), 5 seconds)",
      "UNRESOLVED_COLUMN"
    ),
    (
      "a column in the table of a nested call",
      "SELECT * FROM HOP(TABLE(TUMBLE(TABLE (SELECT «nope» FROM t), DESCRIPTOR(time), 1 second)),\n" +
        "DESCRIPTOR(time), 10 seconds, 5 seconds)",
      "UNRESOLVED_COLUMN"
    )
  ).foreach { case (what, marked, condition) =>
    test(what)(pointsAt(marked, condition, Map.empty))
  }
}
