package tidegate
package execution.order

import java.nio.file.Path
import java.util.UUID

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeProjection}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.tidegate.{OperatorState, StatefulOperatorStateInfo}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String
import tidegate.plans.{OrderFormat, OrderMark}

/** A row that is ordered; `text` makes it as long as a test wants it. */
final case class SentToPages(micros: Long, id: Int, text: String)

/**
 * What a batch gave.
 *
 * @param stored
 *   the rows of the state: pages, and the head
 */
final case class PagesResult(left: Seq[SentToPages], waiting: Option[Long], stored: Int)

/** One partition of an event-time order with pages, in the state store of the session. */
private[order] final class PagesPartition(spark: SparkSession, folder: Path, sizes: PageSizes) {
  private val classicSpark = spark.asInstanceOf[classic.SparkSession]
  private val context = spark.sparkContext
  private val key = OrderStateSchema.key(OrderMark("time", Nil, OrderFormat.Pages))
  private val columns = new StructType()
    .add("time", LongType)
    .add("id", IntegerType)
    .add("text", StringType)
  private val value = OrderStateSchema.value(
    columns.map(f => AttributeReference(f.name, f.dataType)()),
    OrderFormat.Pages
  )
  private var runId = UUID.randomUUID

  val updated: SQLMetric = SQLMetrics.createMetric(spark.sparkContext, "updated")
  val removed: SQLMetric = SQLMetrics.createMetric(spark.sparkContext, "removed")

  /** Lets the next batch load the state from its files. */
  def restart(): Unit = runId = UUID.randomUUID

  def run(batchId: Long, rows: Seq[SentToPages], upTo: Option[Long]): PagesResult = {
    val info =
      new StatefulOperatorStateInfo(folder.toString, runId, 0L, batchId, 1, None, None)
    val isSorted =
      classicSpark.sessionState.conf.stateStoreProviderClass == OperatorState.rocksDbProvider
    val (schema, counted, sized) = (columns, (updated, removed), sizes)
    OperatorState
      .withStore(
        context.parallelize(rows, 1),
        info,
        key,
        value,
        NoPrefixKeyStateEncoderSpec(key),
        classicSpark,
        sharesVersions = true
      ) { (store, sent) =>
        val toRow = UnsafeProjection.create(schema)
        val pages = new PagedRows(
          store,
          isSorted,
          batchId,
          schema.size,
          _.getLong(0),
          sized,
          counted._1,
          counted._2
        )
        sent.foreach { row =>
          val text = UTF8String.fromString(row.text)
          pages.put(row.micros, toRow(InternalRow(row.micros, row.id, text)))
        }
        val left = upTo.iterator
          .flatMap(pages.takeUpTo)
          .map { row =>
            val text = if (row.isNullAt(2)) null else row.getUTF8String(2).toString
            SentToPages(row.getLong(0), row.getInt(1), text)
          }
          .toVector
        val waiting = pages.finish()
        val all = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
        val stored = all.size
        all.close()
        store.commit()
        Iterator(PagesResult(left, waiting, stored))
      }
      .collect()
      .head
  }
}
