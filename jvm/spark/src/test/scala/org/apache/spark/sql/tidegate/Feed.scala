package org.apache.spark.sql.tidegate

import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.{ExpressionEncoder, encoderFor}
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.ClassicConversions.castToImpl
import org.apache.spark.sql.execution.{LogicalRDD, RDDScanExec, SparkPlan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Encoder, Row, SparkSession}
import org.apache.spark.{Partition, TaskContext}

/**
 * Rows in memory, in one partition: a source for plans that no stream runs.
 *
 * @param blocksPerBatch
 *   how many calls of `addData` a batch reads at most
 */
final class Feed[T] private (
    session: SparkSession,
    encoder: ExpressionEncoder[T],
    blocksPerBatch: Int
) {
  private val serialize = encoder.createSerializer()
  private val blocks = mutable.ArrayBuffer.empty[Seq[InternalRow]]
  private val place = new Feed.Place(session, this)

  def addData(rows: IterableOnce[T]): Unit =
    blocks += rows.iterator.map(serialize(_).copy()).toVector

  def addData(first: T, others: T*): Unit = addData(first +: others)

  def toDF(): DataFrame = SparkInternals.dataFrame(
    session,
    LogicalRDD(
      DataTypeUtils.toAttributes(encoder.schema),
      place,
      SinglePartition,
      isStreaming = true
    )(castToImpl(session))
  )

  /** Where a batch ends that begins after so many blocks. */
  def endAfter(begin: Int): Int = blocks.size.min(begin + blocksPerBatch.min(blocks.size))

  private def rows(begin: Int, end: Int): RDD[InternalRow] =
    session.sparkContext.parallelize(blocks.slice(begin, end).toSeq.flatten, 1)
}

object Feed {

  def apply[T: Encoder](session: SparkSession): Feed[T] =
    new Feed(session, encoderFor[T], Int.MaxValue)

  /** Each call of `addData` is a batch. */
  def byBlock[T: Encoder](session: SparkSession): Feed[T] =
    new Feed(session, encoderFor[T], 1)

  /** The same, of rows. */
  def byBlock(session: SparkSession, schema: StructType): Feed[Row] =
    new Feed(session, ExpressionEncoder(schema), 1)

  /** The feeds of a plan. */
  def in(plan: SparkPlan): Seq[Feed[_]] = plan.collect(Function.unlift(of)).distinct

  /** The same scan with the rows of a batch. */
  def filled(scan: RDDScanExec, begin: Feed[_] => Int, end: Feed[_] => Int): SparkPlan =
    of(scan).fold[SparkPlan](scan)(feed => scan.copy(rdd = feed.rows(begin(feed), end(feed))))

  private def of(plan: SparkPlan): Option[Feed[_]] = plan match {
    case RDDScanExec(_, place: Place, _, _, _, _) => Some(place.feed)
    case _                                        => None
  }

  /** Stands in a plan for the rows of a batch. */
  private final class Place(session: SparkSession, @transient val feed: Feed[_])
      extends RDD[InternalRow](session.sparkContext, Nil) {
    override protected def getPartitions: Array[Partition] = Array.empty
    override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] =
      Iterator.empty
  }
}
