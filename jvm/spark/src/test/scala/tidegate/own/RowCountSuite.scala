package tidegate
package own

import scala.util.Random

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types._
import tidegate.own.aggregates.FrameStore
import tidegate.own.due.DueSchema

/** The number of rows that operators count themselves, in RocksDB, and the rows that are there. */
class RowCountSuite extends HeldQueries with HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "a left anti join",
    "a right outer join",
    "a left semi join",
    "windows that grow: the number",
    "dropDuplicates: the number",
    "a full outer join",
    "dropDuplicatesWithinWatermark: the number",
    "windows that slide: the number"
  )

  override protected def lag: String = "2 seconds"

  override protected def span: String = "4 seconds"

  override protected def twoSpans: String = "8 seconds"

  private def rowsThere(run: OperatorHarness): Long = {
    val checkpoint = run.stop().checkpoint.toString
    val operators = spark.read.format("state-metadata").load(checkpoint).select("operatorId")
    operators
      .distinct()
      .collect()
      .map { operator =>
        val state =
          spark.read.format("statestore").option("operatorId", operator.getLong(0)).load(checkpoint)
        val hasPages =
          state.schema("key").dataType.asInstanceOf[StructType].names.contains(DueSchema.PageColumn)
        val isRow =
          if (hasPages) col(s"key.${DueSchema.PageColumn}").isNull else FrameStore.isCounted
        state.where(isRow).count()
      }
      .sum
  }

  for ((title, query) <- queriesOfOperators if title != "event-time order")
    onRocksDb(s"$title: the number of rows is that of the rows that are there") {
      val random = new Random(title.hashCode)
      val (in, others) = (feed(), feed())
      val run = harness(query(in.toDF(), others.toDF())).start()
      val counts = (0 to 8).map { batch =>
        if (batch % 3 == 2) run.restart()
        for (stream <- Seq(in, others)) {
          val seconds = Seq.fill(6)(100.0 + 3 * batch + random.nextInt(8))
          stream.addData(seconds.map(event("a", _, 1 + random.nextInt(40))))
        }
        run.settle()
        // Spark's reader of a state takes longer than the batch.
        if (StateStoreKind.areAll || batch % 3 > 0)
          assert(run.stateRows === rowsThere(run), s"batch $batch")
        run.stateRows
      }
      assert(counts.distinct.size > 2)
      Seq(in, others).foreach(_.addData(event("a", 9000, 0)))
      run.settle()
      assert(run.stateRows === 0)
      assert(rowsThere(run) === 0)
      // A state that had rows keeps the number, and goes on with it.
      run.restart()
      Seq(in, others).foreach(_.addData((1 to 9).map(event("a", 9100, _))))
      run.settle()
      assert(run.stateRows > 0)
      assert(run.stateRows === rowsThere(run))
    }

  test("the key of the row of windows does not depend on where NULL may be") {
    def key(nullable: Boolean) = FrameStore.countKey(
      new StructType()
        .add("chunk", IntegerType)
        .add("shop", StringType, nullable)
        .add("at", new StructType().add("x", IntegerType, nullable), nullable)
        .add("price", DecimalType(30, 2), nullable)
        .add("nothing", NullType)
    )
    assert(key(nullable = true) === key(nullable = false))
    assert(!key(nullable = true).isNullAt(1))
  }
}
