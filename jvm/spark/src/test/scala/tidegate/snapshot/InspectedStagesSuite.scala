package tidegate
package snapshot

import java.time.Instant

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.json4s.JsonAST.{JBool, JInt, JNull, JString, JValue}
import org.json4s.jackson.JsonMethods.parse

/** What an inspection says of each stage, word by word: as stages, as JSON and as a DataFrame. */
class InspectedStagesSuite extends RestartTest {
  private val BeginMs = 1000000000L
  private val SilenceMs = 61000L

  private def sliding(in: DataFrame): DataFrame = in
    .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"), name = "orders")
    .groupBy(window(col("time"), "20 seconds", "5 seconds"), col("sub"))
    .agg(sum("n"))

  private def second(n: Long): Option[Instant] = Some(Instant.ofEpochSecond(n))

  private def watermark(idle: Boolean): InspectedStage = InspectedStage(
    "orders",
    "watermark",
    watermark = second(125),
    idle = Some(idle),
    detail = "key 0, fixedLag(5000 ms), by sub STRING"
  )

  private def substream(name: String, seconds: Long, lastRows: Long): InspectedStage =
    InspectedStage(
      name,
      "substream",
      Some("orders"),
      second(seconds),
      detail = s"last rows at ${Instant.ofEpochMilli(lastRows)}"
    )

  private val aggregate = InspectedStage(
    "aggregate",
    "operator",
    watermark = second(125),
    idle = Some(false),
    keys = Some("chunk INT,sub STRING"),
    rows = Some(2),
    detail = "frameAggregate in state/1000, 1 partitions; windows of 20000 ms by 5000 ms; values " +
      "closed TIMESTAMP NOT NULL,slide BIGINT NOT NULL,offset BIGINT NOT NULL,size BIGINT NOT " +
      "NULL,chunk_ids ARRAY<INT> NOT NULL,chunk_ends ARRAY<TIMESTAMP> NOT NULL,chunks " +
      "ARRAY<STRUCT<frame: TIMESTAMP NOT NULL, `sum(n)`: BIGINT>> NOT NULL,frames " +
      "ARRAY<STRUCT<frame: TIMESTAMP NOT NULL, `sum(n)`: BIGINT>> NOT NULL"
  )

  private val wanted = Seq(
    watermark(idle = false),
    substream("a", 125, BeginMs + SilenceMs),
    substream("b", 126, BeginMs + SilenceMs),
    // Left out: the watermark has passed it.
    substream("slow", 95, BeginMs),
    aggregate,
    InspectedStage("0", "source", detail = """{"logOffset":1}""")
  )

  /** A run in which one substream is silent for longer than its timeout, and is left behind. */
  private def begun(): (Run, java.nio.file.Path) = {
    val folder = files(Seq(event("a", 105), event("b", 106), event("slow", 100)))
    val run = new Run(sliding(stream(folder))).start().settle()
    run.clock.advance(SilenceMs)
    addFile(folder, 1, Seq(event("a", 130), event("b", 131)))
    (run.settle(), folder)
  }

  /** Sizes of files depend on the version of Spark. */
  private def withoutBytes(stages: Seq[InspectedStage]): Seq[InspectedStage] =
    stages.map(_.copy(bytes = None))

  test("policy, own watermarks, schema and frames of the state, and offsets") {
    val (run, _) = begun()
    val found = inspectSnapshot(run.stop().checkpoint.toString)
    assert(withoutBytes(found.stages) === wanted)
    assert(found.stages.filter(_.bytes.exists(_ > 0)).map(_.stage) === Seq("aggregate"))
    assert(found.batchTime === Instant.ofEpochMilli(BeginMs + SilenceMs))
    assert(found.batchId === run.query.lastProgress.batchId)
    assert((found.begun, found.exportedAt) === ((None, None)))
  }

  test("JSON and the DataFrame have every field of every stage") {
    val (run, _) = begun()
    val path = TempFolders.create("inspected").resolve("one").toString
    exportSnapshot(run.query, path)
    val found = inspectSnapshot(path)
    val json = parse(found.json)
    assert(json \ "path" === JString(path))
    assert(json \ "query" === JString(run.query.id.toString))
    assert(json \ "queryId" === JString(run.query.id.toString))
    assert(json \ "batch" === JInt(found.batchId))
    assert(json \ "begun" === JNull)
    assert(json \ "batchTime" === JInt(BeginMs + SilenceMs))
    assert(json \ "exportedAt" === JInt(found.exportedAt.get.toEpochMilli))
    assert((json \ "stages").children.map(stage) === found.stages)

    val df = found.toDF(spark)
    assert(df.columns.toSeq === wanted.head.productElementNames.toSeq)
    assert(df.collect().toSeq.map(stage) === found.stages)
  }

  private def stage(json: JValue): InspectedStage = {
    def text(name: String) = Some(json \ name).collect { case JString(s) => s }
    def number(name: String) = Some(json \ name).collect { case JInt(n) => n.toLong }
    InspectedStage(
      text("stage").get,
      text("kind").get,
      text("of"),
      number("watermark").map(Instant.ofEpochMilli),
      Some(json \ "idle").collect { case JBool(b) => b },
      text("keys"),
      number("rows"),
      number("bytes"),
      text("detail").get
    )
  }

  private def stage(row: Row): InspectedStage = {
    def field[T](name: String): Option[T] = Option(row.getAs[T](name))
    InspectedStage(
      row.getAs("stage"),
      row.getAs("kind"),
      field("of"),
      field[java.sql.Timestamp]("watermark").map(_.toInstant),
      field("idle"),
      field("keys"),
      field("rows"),
      field("bytes"),
      row.getAs("detail")
    )
  }

  test("a watermark whose substreams are all silent is idle") {
    val (run, folder) = begun()
    run.clock.advance(SilenceMs)
    run.settle()
    // A mark that changes nothing else is written with the next batch.
    addFile(folder, 2, Nil)
    run.settle().stop()
    val found = inspectSnapshot(run.checkpoint.toString)
    assert(withoutBytes(found.stages).head === watermark(idle = true))
  }

  test("Spark's own operators have the columns of their state, and no frames") {
    withConf("spark.tidegate.windows.enabled" -> "false") {
      val (run, _) = begun()
      val found = inspectSnapshot(run.stop().checkpoint.toString)
      assert(
        withoutBytes(found.stages.filter(_.kind == "operator")) === Seq(
          InspectedStage(
            "aggregate",
            "operator",
            watermark = second(125),
            idle = Some(false),
            keys = Some("window STRUCT<start: TIMESTAMP, end: TIMESTAMP>,sub STRING"),
            rows = Some(8),
            detail = "stateStoreSave in state/0, 1 partitions; values sum BIGINT"
          )
        )
      )
    }
  }
}
