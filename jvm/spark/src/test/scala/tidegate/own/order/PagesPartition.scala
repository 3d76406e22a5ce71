package tidegate
package own.order

import java.nio.file.Path
import java.util.UUID

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeProjection}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.tidegate.{OperatorState, StatefulOperatorStateInfo}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String
import tidegate.own.StoredRows

/** A row that is ordered; `text` makes it as long as a test wants it. */
final case class SentToPages(micros: Long, id: Int, text: String) {
  def internal: InternalRow = InternalRow(micros, id, UTF8String.fromString(text))
}

/**
 * What a batch gave.
 *
 * @param stored
 *   the rows of the state: pages, and the head
 */
final case class PagesResult(left: Seq[SentToPages], waiting: Long, stored: Int)

/** One partition of an event-time order with pages, in the state store of the session. */
private[order] final class PagesPartition(spark: SparkSession, folder: Path, sizes: PageSizes) {
  private val classicSpark = spark.asInstanceOf[classic.SparkSession]
  private val context = spark.sparkContext
  private val key = OrderStateSchema.key
  private val columns = new StructType()
    .add("time", LongType)
    .add("id", IntegerType)
    .add("text", StringType)
  private val attributes = columns.map(f => AttributeReference(f.name, f.dataType)())
  private var runId = UUID.randomUUID

  val updated: SQLMetric = SQLMetrics.createMetric(spark.sparkContext, "updated")
  val removed: SQLMetric = SQLMetrics.createMetric(spark.sparkContext, "removed")

  /** Lets the next batch load the state from its files. */
  def restart(): Unit = runId = UUID.randomUUID

  def run(batchId: Long, rows: Seq[SentToPages], upTo: Option[Long]): PagesResult = {
    val isSorted =
      classicSpark.sessionState.conf.stateStoreProviderClass == OperatorState.rocksDbProvider
    val (schema, counted, sized) = (columns, (updated, removed), sizes)
    inStore(batchId, rows, OrderStateSchema.value(attributes)) { (store, sent) =>
      val toRow = UnsafeProjection.create(schema)
      val pages = new PagedRows(
        new StoredRows(store),
        isSorted,
        batchId,
        schema.size,
        _.getLong(0),
        sized,
        counted._1,
        counted._2
      )
      sent.foreach(row => pages.put(row.micros, toRow(row.internal)))
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
      PagesResult(left, waiting, stored)
    }
  }

  private def inStore[T: ClassTag](batchId: Long, rows: Seq[SentToPages], value: StructType)(
      update: (StateStore, Iterator[SentToPages]) => T
  ): T = {
    val info =
      new StatefulOperatorStateInfo(folder.toString, runId, 0L, batchId, 1, None, None)
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
        val result = update(store, sent)
        store.commit()
        Iterator(result)
      }
      .collect()
      .head
  }
}
