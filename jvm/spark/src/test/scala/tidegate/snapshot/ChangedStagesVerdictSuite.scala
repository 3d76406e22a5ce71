package tidegate
package snapshot

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** What `checkCompatibility` says of stages that were added, removed, moved or renamed. */
class ChangedStagesVerdictSuite extends CompatibilityTest {

  override protected def atNight: Seq[String] = Seq(
    "one watermark less",
    "one operator of Spark less",
    "kinds of Spark that change their places",
    "the last operator less, from frames",
    "one stream less",
    "one operator with a name less",
    "a filter is removed"
  )
  import Verdict._

  private val counted: DataFrame => DataFrame = windows("10 seconds")

  /** A second watermark, on a column of its own. */
  private def second(in: DataFrame): DataFrame =
    in.withKeyedWatermark("other", "5 seconds", 1, substream = Seq("sub"), name = "second")

  private def withOther(in: DataFrame): DataFrame = in.withColumn("other", col("time"))

  private def two(in: DataFrame): DataFrame = counted(second(keyed(withOther(in))))

  private def distinct(columns: String*)(in: DataFrame): DataFrame =
    in.dropDuplicates("time" +: columns)

  private val mismatch = "[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA]"

  cell("a watermark is added to a stream that has one", "one more watermark", hourly, two)(
    ("orders", GoesOn, ""),
    ("second", BeginsEmpty, "A new watermark, without a time."),
    ("aggregate", GoesOn, "")
  )

  cell("a watermark is removed, and another one stays", "one watermark less", two, hourly)(
    ("orders", GoesOn, ""),
    ("second", Removed, ""),
    ("aggregate", GoesOn, "")
  )

  cell(
    "a watermark has another name",
    "another name",
    hourly,
    in => counted(keyed(in, name = "events"))
  )(
    ("events", BeginsEmpty, "A new watermark, without a time."),
    ("orders", Removed, ""),
    ("aggregate", GoesOn, "")
  )

  cell(
    "the watermarks of a stream change their order",
    "another order of the watermarks",
    two,
    in => counted(keyed(second(withOther(in))))
  )(("orders", GoesOn, ""), ("second", GoesOn, ""), ("aggregate", GoesOn, ""))

  private def ofSpark(in: DataFrame): DataFrame = counted(in.withWatermark("time", "5 seconds"))

  cell("the first keyed watermark of a query is added", "the first watermark", ofSpark, hourly)(
    ("query", Refused, "[TIDEGATE_CHECKPOINT_OF_SPARK]")
  )

  cell("the last keyed watermark of a query is removed", "the last watermark", hourly, ofSpark)(
    ("query", Refused, "[TIDEGATE_CHECKPOINT_OF_KEYED]")
  )

  private val stateless = "a stage without state, such as a filter, is added or removed"
  private val filtered = (in: DataFrame) => counted(keyed(in.where("n < 9")))

  cell(stateless, "a filter is added", hourly, filtered)(("query", GoesOn, ""))

  cell(stateless, "a filter is removed", filtered, hourly)(("query", GoesOn, ""))

  private val operators =
    "an operator with state is added, removed, or has changed places with another kind"

  cell(operators, "one more operator", hourly, in => counted(distinct()(keyed(in))))(
    ("query", Refused, mismatch),
    ("deduplicate", Refused, mismatch)
  )

  private val keysRefused = "[TIDEGATE_STATE_REFUSED]"

  cell(operators, "one operator less", in => counted(distinct()(keyed(in))), hourly)(
    ("query", Refused, keysRefused)
  )

  cell(
    operators,
    "one operator of Spark less",
    in => counted(distinct()(keyed(in))),
    hourly,
    isOwn = false
  )(
    ("query", Refused, mismatch),
    ("deduplicate", Refused, mismatch)
  )

  cell(operators, "the last operator less, from frames", hourly, in => keyed(in))(
    ("query", Refused, "[TIDEGATE_STATE_REFUSED]")
  )

  cell(
    operators,
    "the last operator less",
    hourly,
    in => keyed(in),
    isOwn = false
  )(
    ("query", Refused, mismatch),
    ("aggregate", Refused, mismatch)
  )

  cell(
    operators,
    "another operator",
    hourly,
    in => distinct("n")(keyed(in)),
    isOwn = false
  )(
    ("query", Refused, mismatch),
    ("aggregate", Refused, mismatch),
    ("deduplicate", Refused, mismatch)
  )

  cell(
    operators,
    "kinds that change their places",
    in => distinct("n")(keyed(in).orderByEventTime().toDF()),
    in => distinct("n")(keyed(in)).orderByEventTime().toDF()
  )(("query", Refused, keysRefused), ("orderByEventTime", Refused, keysRefused))

  private def within(in: DataFrame): DataFrame = in.dropDuplicatesWithinWatermark("n", "sub")

  cell(
    operators,
    "kinds of Spark that change their places",
    in => within(distinct("n")(keyed(in))),
    in => distinct("n")(within(keyed(in))),
    isOwn = false
  )(
    ("query", Refused, mismatch),
    ("deduplicate", Refused, mismatch),
    ("deduplicateWithinWatermark", Refused, mismatch)
  )

  private val streams = "a stream is added or removed"
  private val other = (in: DataFrame) => keyed(in, name = "more")

  cell(streams, "one more stream", hourly, in => counted(keyed(in).union(other(in))))(
    ("query", Refused, "assertion failed: There are [2] sources in the checkpoint offsets")
  )

  cell(streams, "one stream less", in => counted(keyed(in).union(other(in))), hourly)(
    ("query", Refused, "assertion failed: There are [3] sources in the checkpoint offsets")
  )

  private def short(in: DataFrame): DataFrame = named(counted(in), "short")

  private def long(in: DataFrame): DataFrame = named(windows("20 seconds")(in), "long")

  private def pair(l: DataFrame => DataFrame, r: DataFrame => DataFrame)(in: DataFrame) = {
    val stream = keyed(in)
    l(stream).union(r(stream))
  }

  cell(
    "operators [with names](#names-of-operators) change places",
    "operators with names change places",
    pair(short, long),
    pair(long, short)
  )(("short", GoesOn, ""), ("long", GoesOn, ""))

  private val renamed =
    "an operator gets a name, another name, or loses it, at its place"

  private val ofShort = (in: DataFrame) => short(keyed(in))

  cell(renamed, "a first name", hourly, ofShort)(("short", GoesOn, ""))

  cell(renamed, "another name of an operator", ofShort, in => named(hourly(in), "brief"))(
    ("brief", GoesOn, "")
  )

  cell(renamed, "no name any more", ofShort, hourly)(("aggregate", GoesOn, ""))

  private val changed = "in a query with names, an operator is added or removed"
  private val more = (in: DataFrame) => named(distinct("n", "sub")(keyed(in)), "firsts")

  cell(changed, "one more operator, with a name", ofShort, in => short(more(in)))(
    ("query", Refused, "[TIDEGATE_OPERATORS_CHANGED]"),
    ("firsts", Refused, "[TIDEGATE_OPERATORS_CHANGED]")
  )

  cell(changed, "one operator with a name less", in => short(more(in)), ofShort)(
    ("query", Refused, "[TIDEGATE_OPERATORS_CHANGED]"),
    ("firsts", Refused, "[TIDEGATE_OPERATORS_CHANGED]")
  )

  cell(
    "without names, two operators of one kind change places, such as the two windows of a union",
    "operators without names change places",
    pair(counted, windows("20 seconds")),
    pair(windows("20 seconds"), counted),
    isOwn = false
  )(("aggregate", GoesOn, ""), ("aggregate-2", GoesOn, ""))

  test("an operator that Spark plans as the one before has its state") {
    def columns(in: DataFrame) = keyed(in).select("time", "n")
    // `Dataset.distinct` deduplicates by all columns; only SQL has a distinct of rows.
    def distinctRows(in: DataFrame) = {
      columns(in).createOrReplaceTempView("rows")
      spark.sql("SELECT DISTINCT * FROM rows")
    }
    val folder = EventFiles.of(batches: _*)
    val run = new Run(distinctRows(stream(folder))).start().settle().stop()
    val kinds = inspectSnapshot(run.checkpoint.toString).stages.filter(_.kind == "operator")
    assert(kinds.map(_.stage) === Seq("distinct"))
    val changed = columns(stream(folder)).groupBy("time", "n").agg(Map.empty[String, String])
    val found = checkCompatibility(run.checkpoint.toString, changed)
    assert(
      found.stages.last ===
        StageVerdict(
          "aggregate",
          "operator",
          GoesOn,
          "It continues with the state of `distinct`."
        )
    )
    addFile(folder, batches.size, Seq(event("a", 25), event("b", 26, 2), event("a", 27)))
    val again = new Run(changed, run.checkpoint).start().settle().stop()
    val all = new Run(distinctRows(stream(folder))).start().settle().stop()
    assert((run.answer ++ again.answer).sorted === all.answer)
  }

  checkTable("Changed stages")
}
