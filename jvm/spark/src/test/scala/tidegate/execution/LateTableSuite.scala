package tidegate
package execution

import java.nio.file.{Files, Path}
import java.sql.Timestamp

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import tidegate.settings.Settings

/** The rows that operators drop as late, in a table of the session catalog. */
class LateTableSuite extends RestartTest {

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    spark.sql("DROP DATABASE IF EXISTS late_db CASCADE")
    spark.sql(s"CREATE DATABASE late_db LOCATION '${TempFolders.create("late")}'")
    spark.sql("USE late_db")
    ()
  }

  override protected def afterEach(): Unit = {
    spark.catalog.dropTempView("keyed_rows")
    spark.sql("USE default")
    spark.sql("DROP DATABASE IF EXISTS late_db CASCADE")
    super.afterEach()
  }

  private def keyed(rows: DataFrame, to: String = "late_orders", key: Int = 0): DataFrame =
    rows.withKeyedWatermark(
      "time",
      "2 seconds",
      key,
      substream = Seq("sub"),
      name = "orders",
      lateRows = to
    )

  private def counted(rows: DataFrame): DataFrame =
    rows.groupBy(window(col("time"), "10 seconds"), col("sub")).agg(max("n"))

  private def read(columns: String*): Seq[String] =
    spark
      .table("late_db.late_orders")
      .selectExpr(columns: _*)
      .collect()
      .toSeq
      .map(KeyedStreamTest.text)
      .sorted

  test("the table is made when the query starts, and every reader sees the rows of each batch") {
    val in = events()
    val run = new Run(counted(keyed(in.toDF()))).start()
    in.addData(event("a", 60, 1))
    run.settle()
    val before = spark.table("late_orders")
    assert(before.schema.fieldNames.toSeq === LateFolder.schema(Nil).fieldNames.toSeq)
    assert(before.select("row.*").schema.fieldNames.toSeq === Seq("sub", "time", "n"))
    assert(before.count() === 0)
    in.addData(event("a", 1, 2))
    run.settle()
    assert(read("operator", "watermark_time", "event_time", "row.n") === Seq("aggregate|58|1|2"))
    val other = spark.newSession()
    assert(other.table("late_db.late_orders").count() === 1)
    in.addData(event("a", 3, 3))
    run.settle()
    assert(read("row.n") === Seq("2", "3"))
    assert(other.sql("SELECT * FROM late_db.late_orders WHERE row.n = 3").count() === 1)
    assert(run.lateRows.values.sum === 2)
    run.stop()
  }

  onBothStores("kills change nothing, and all that is counted is there") {
    val batches = Seq(
      Seq(event("a", 60, 1), event("b", 60, 1)),
      Seq(event("a", 61, 1)),
      Seq(event("a", 12, 2), event("a", 70, 3)),
      Seq(event("b", 13, 4), event("b", 80, 5), event("a", 80, 5)),
      Seq(event("a", 14, 6))
    )
    val input = files(batches: _*)
    val clean = new Run(counted(keyed(stream(input)))).start().settle()
    val expected = read("operator", "batch_id", "row.n")
    assert(expected.size === 3)
    assert(clean.lateRows.values.sum === 3)
    clean.stop()
    spark.sql("DROP TABLE late_orders")
    val killed = new Run(counted(keyed(stream(input))))
    clean.byBatch.keys.toSeq.sorted.foreach { batch =>
      killed.failIn = _ == batch
      killed.start().awaitEnd()
    }
    killed.failIn = _ => false
    killed.start().settle().stop()
    assert(read("operator", "batch_id", "row.n") === expected)
  }

  for (
    (title, mode, query) <- Seq[(String, OutputMode, DataFrame => DataFrame)](
      ("frames", OutputMode.Append(), counted),
      ("copies", OutputMode.Update(), _.groupBy(hops, col("sub")).count()),
      ("sliding windows", OutputMode.Append(), _.groupBy(hops, col("sub")).count()),
      ("own sessions", OutputMode.Append(), _.groupBy(sessions, col("sub")).count()),
      (
        "cumulating windows in SQL",
        OutputMode.Append(),
        inSql("cumulate", "5 seconds, 10 seconds")
      ),
      ("copies in SQL", OutputMode.Update(), inSql("hop", "10 seconds, 5 seconds")),
      ("tumbling windows in SQL", OutputMode.Append(), inSql("tumble", "10 seconds")),
      ("a deduplication", OutputMode.Append(), _.dropDuplicates("sub", "time"))
    )
  ) test(s"row is as it came, and has no window: $title") {
    val in = events()
    val run = new Run(query(keyed(in.toDF())), mode = mode).start()
    in.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2))
    run.settle().stop()
    assert(spark.table("late_orders").schema.last.dataType.asInstanceOf[StructType].size === 3)
    assert(read("row.sub", "row.time", "row.n") === Seq("a|1|2"))
  }

  private val tumble = window(col("time"), "10 seconds").as("w")

  for (
    (title, mode, query) <- Seq[(String, OutputMode, DataFrame => DataFrame)](
      ("frames", OutputMode.Append(), _.select(tumble).groupBy("w").count()),
      ("copies", OutputMode.Update(), _.select(tumble, col("n")).groupBy("w").count()),
      ("a deduplication", OutputMode.Append(), _.select(tumble, col("n")).dropDuplicates("w"))
    )
  ) test(s"row is as it came, from before the window was made: $title") {
    assert(lateRowOf(query, mode).get("time").contains(new Timestamp(1000)))
  }

  test("rows whose time is gone keep the window that is made of it") {
    val row = lateRowOf(_.select(tumble).repartition(1).groupBy("w").count(), OutputMode.Append())
    assert(row === Map("w" -> Row(new Timestamp(0), new Timestamp(10000))))
  }

  /** The columns of a row that is late for a query. */
  private def lateRowOf(query: DataFrame => DataFrame, mode: OutputMode): Map[String, Any] = {
    val in = events()
    val run = new Run(query(keyed(in.toDF())), mode = mode).start()
    in.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2))
    run.settle().stop()
    val Seq(late) = spark.table("late_orders").select("row.*").collect().toSeq: @unchecked
    late.getValuesMap[Any](late.schema.fieldNames.toSeq)
  }

  test("row is as it came, and has no window: Spark's sessions") {
    withConf(Settings.SessionsEnabled.key -> "false") {
      val in = events()
      val run = new Run(keyed(in.toDF()).groupBy(sessions, col("sub")).count()).start()
      in.addData(event("a", 60, 1))
      run.settle()
      in.addData(event("a", 1, 2))
      run.settle().stop()
      assert(read("row.sub", "row.time", "row.n") === Seq("a|1|2"))
    }
  }

  private def inSql(function: String, windows: String)(rows: DataFrame): DataFrame = {
    rows.createOrReplaceTempView("keyed_rows")
    spark.sql(
      s"""SELECT window_start, window_end, sub, count(*)
         |FROM $function(TABLE(keyed_rows), DESCRIPTOR(time), INTERVAL ${windows.replace(
          ", ",
          ", INTERVAL "
        )})
         |GROUP BY window_start, window_end, sub""".stripMargin
    )
  }

  private val hops = window(col("time"), "10 seconds", "5 seconds")
  private val sessions = session_window(col("time"), "5 seconds")

  test("both sides of a join: their columns are together in row") {
    val (in, out) = (events(), events())
    val right = out
      .toDF()
      .select(col("sub").as("sub2"), col("time").as("time2"), col("n").cast("long").as("m"))
      .withKeyedWatermark("time2", "2 seconds", 1, lateRows = "LATE_DB.Late_Orders")
    val run = new Run(
      keyed(in.toDF()).join(
        right,
        expr("sub = sub2 AND time2 BETWEEN time AND time + INTERVAL 5 SECONDS")
      )
    ).start()
    in.addData(event("a", 60, 1))
    out.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2))
    out.addData(event("a", 2, 3))
    run.settle().stop()
    assert(
      read("operator", "row.sub", "row.n", "row.sub2", "row.m") ===
        Seq("join.left|a|2|null|null", "join.right|null|null|a|3")
    )
  }

  /** A column of each type that Parquet has; all are NULL where `n` is not 2. */
  private val typed: Seq[(String, String)] = Seq(
    "decimal" -> "CAST('12345678901234567890.123456789' AS DECIMAL(38, 9))",
    "date" -> "DATE '0001-01-01'",
    "plain" -> "TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'",
    "span" -> "INTERVAL '1 02:03:04.000005' DAY TO SECOND",
    "months" -> "INTERVAL '-3' MONTH",
    "bytes" -> "X'00FF'",
    "list" -> "array(struct(n AS a, CAST(NULL AS STRING) AS b))",
    "map" -> "map('', array(1.5D, NULL), 'x', array())",
    "variant" -> """parse_json('{"a": [1, null]}')""",
    "tiny" -> "CAST(-128 AS TINYINT)",
    "double" -> "CAST('NaN' AS DOUBLE)"
  )

  test("values of every type come back as they were, and so do NULLs") {
    def withTypes(rows: DataFrame): DataFrame =
      rows.select(
        col("*") +: typed.map { case (name, sql) => expr(s"IF(n = 2, $sql, NULL)").as(name) }: _*
      )
    // Bytes and variants are compared as text.
    val compared = Seq("n") ++ typed.map(_._1).map {
      case "bytes"   => "hex(bytes)"
      case "variant" => "CAST(variant AS STRING)"
      case other     => other
    }
    val in = events()
    val run = new Run(keyed(withTypes(in.toDF())).dropDuplicates("n", "time")).start()
    in.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2), event("a", 2, 3))
    run.settle().stop()
    val sent = table(files(Seq(event("a", 1, 2), event("a", 2, 3))))
    val expected = withTypes(sent).selectExpr(compared: _*)
    val found = spark.table("late_orders").selectExpr("row.*").selectExpr(compared: _*)
    assert(
      found.schema.map(f => f.name -> f.dataType.catalogString) ===
        expected.schema.map(f => f.name -> f.dataType.catalogString)
    )
    assert(
      found.orderBy("n").collect().toSeq.map(_.toString) ===
        expected.orderBy("n").collect().toSeq.map(_.toString)
    )
    assert(found.where("n = 3").head().toSeq.drop(1).forall(_ == null))
  }

  test("two queries, and a later one with more columns") {
    val (in, more) = (events(), events())
    val first = new Run(counted(keyed(in.toDF()))).start()
    val second = new Run(counted(keyed(more.toDF().withColumn("half", col("n") / 2)))).start()
    Seq(in, more).foreach(_.addData(event("a", 60, 1)))
    Seq(first, second).foreach(_.settle())
    Seq(in, more).foreach(_.addData(event("a", 1, 2)))
    Seq(first, second).foreach(_.settle().stop())
    assert(read("row.n", "row.half") === Seq("2|1.0", "2|null"))
    val changed = new Run(counted(keyed(in.toDF().withColumn("n", col("n").cast("string")))))
    assert(
      intercept[AnalysisException](changed.start()).getMessage ===
        refused("late_orders", "its `row.n` is INT, and STRING in the query")
    )
  }

  test("a table of the user with the columns of late rows, at a place of its own") {
    val place = Files.createDirectories(TempFolders.create("late").resolve("here"))
    val columns =
      LateFolder.schema(Nil).fields.dropRight(1).map(f => s"${f.name} ${f.dataType.sql}")
    spark.sql(
      s"CREATE TABLE `late_again` (${columns.mkString(", ")}, row STRUCT<n: INT>) " +
        s"USING PARQUET LOCATION '$place'"
    )
    val in = events()
    val run = new Run(counted(keyed(in.toDF(), "spark_catalog.late_db.`late_again`"))).start()
    in.addData(event("a", 60, 1))
    run.settle()
    assert(spark.table("late_again").count() === 0)
    in.addData(event("a", 1, 2))
    run.settle().stop()
    val Seq(row) = spark.table("late_again").select("row.*").collect().toSeq: @unchecked
    assert(row.getAs[Int]("n") === 2)
    assert(Files.list(place).count() > 0)
  }

  test("the database of a plain name is the one in which the query starts") {
    val in = events()
    val query = counted(keyed(in.toDF()))
    spark.sql("CREATE DATABASE other_db")
    try {
      spark.sql("USE other_db")
      new Run(query).start().stop()
      assert(spark.catalog.tableExists("other_db.late_orders"))
      assert(!spark.catalog.tableExists("late_db.late_orders"))
    } finally spark.sql("DROP DATABASE other_db CASCADE")
    ()
  }

  test("a table that is dropped while the query is stopped is made again") {
    val in = events()
    val run = new Run(counted(keyed(in.toDF()))).start()
    in.addData(event("a", 60, 1))
    run.settle().stop()
    spark.sql("DROP TABLE late_orders")
    run.start()
    in.addData(event("a", 1, 2))
    run.settle().stop()
    assert(read("row.n") === Seq("2"))
  }

  test("a catalog in memory forgets the table: the rows of before are in the new one") {
    val in = events()
    val run = new Run(counted(keyed(in.toDF()))).start()
    in.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2))
    run.settle().stop()
    val folder = Path.of(spark.table("late_orders").inputFiles.head.stripPrefix("file:")).getParent
    val kept = Files.createTempDirectory("kept")
    FileUtils.copyDirectory(folder.toFile, kept.toFile)
    spark.sql("DROP TABLE late_orders")
    FileUtils.copyDirectory(kept.toFile, folder.toFile)
    run.start()
    in.addData(event("a", 3, 3))
    run.settle().stop()
    assert(read("row.n") === Seq("2", "3"))
    // Files of somebody else are not taken for late rows.
    spark.sql("DROP TABLE late_orders")
    Files.createFile(folder.resolve("part-0.parquet"))
    val error = intercept[AnalysisException](run.start()).getMessage
    assert(
      error.contains("cannot go to the table late_orders of `lateRows`: [LOCATION_ALREADY_EXISTS]")
    )
    FileUtils.deleteDirectory(folder.toFile)
    FileUtils.deleteDirectory(kept.toFile)
  }

  test("a path is no name of a table") {
    val folder = TempFolders.create("late")
    val in = events()
    val run = new Run(counted(keyed(in.toDF(), s"file:$folder"))).start()
    in.addData(event("a", 60, 1))
    run.settle()
    in.addData(event("a", 1, 2))
    run.settle().stop()
    assert(spark.read.parquet(folder.toString).count() === 1)
    assert(spark.sql("SHOW TABLES IN late_db").where("NOT isTemporary").count() === 0)
  }

  private def refused(table: String, reason: String): String =
    s"[TIDEGATE_LATE_ROWS_TABLE] The late rows of aggregate cannot go to the table $table of " +
      s"`lateRows`: $reason. Pass the name of a new table, which the query makes, or a folder such " +
      "as './late'; a stream from there can write the rows into a table of any format and catalog. " +
      "SQLSTATE: 42809"

  private def refusal(to: String): String =
    intercept[AnalysisException](new Run(counted(keyed(events().toDF(), to))).start()).getMessage

  test("refused: tables that late rows cannot go to") {
    val columns =
      LateFolder.schema(Nil).fields.dropRight(1).map(f => s"${f.name} ${f.dataType.sql}").toSeq
    def make(name: String, columns: Seq[String], rest: String = "USING PARQUET"): Unit = {
      spark.sql(s"CREATE TABLE $name (${columns.mkString(", ")}) $rest")
      ()
    }
    val row = "row STRUCT<n: INT>"
    spark.sql("CREATE VIEW a_view AS SELECT 1 AS a")
    spark.range(1).createOrReplaceTempView("a_temporary_view")
    make("in_csv", Seq("a INT"), "USING CSV")
    make("in_parts", columns :+ row, "USING PARQUET PARTITIONED BY (operator)")
    make("other", Seq("a INT"))
    make("wide", columns :+ row :+ "b INT")
    make("wrong", columns.map(_.replace("batch_id BIGINT", "batch_id INT")) :+ row)
    make("flat", columns :+ "row STRING")
    Seq(
      "a_view" -> "it is a view",
      "a_temporary_view" -> "it is a temporary view",
      "in_csv" -> "its provider is CSV, not parquet",
      "in_parts" -> "it has partitions or buckets",
      "other" -> "it has no column `operator`",
      "wide" -> "it has a column `b`, which late rows do not have",
      "wrong" -> "its column `batch_id` is INT, not BIGINT",
      "flat" -> "its column `row` is STRING, not a STRUCT",
      "nowhere.late" -> "there is no database nowhere",
      "a.late_db.late" -> "only Spark's own catalog has such tables",
      "spark_catalog.a.b.c" -> "only Spark's own catalog has such tables"
    ).foreach { case (name, reason) => assert(refusal(name) === refused(name, reason)) }
    spark.catalog.dropTempView("a_temporary_view")
    assert(
      refusal("`a b`") === refused(
        "`a b`",
        "[INVALID_SCHEMA_OR_RELATION_NAME] `a b` is not a valid name for tables/schemas. Valid " +
          "names only contain alphabet characters, numbers and _. SQLSTATE: 42602"
      )
    )
  }

  test("refused: two operators with a column of two types") {
    val (in, out) = (events(), events())
    val right = out
      .toDF()
      .select(col("sub").as("sub2"), col("time").as("time2"), col("n").cast("string").as("n"))
      .withKeyedWatermark("time2", "2 seconds", 1, lateRows = "late_orders")
    val joined = keyed(in.toDF()).join(
      right,
      expr("sub = sub2 AND time2 BETWEEN time AND time + INTERVAL 5 SECONDS")
    )
    val error = intercept[AnalysisException](new Run(joined).start())
    assert(
      error.getMessage === refused(
        "late_orders",
        "`row.n` is INT in join.left, and STRING in join.right"
      ).replace("of aggregate", "of join.left")
    )
    assert(!spark.catalog.tableExists("late_orders"))
  }
}
