package org.apache.spark.sql.tidegate

/** What a query adds to what Spark reports of it. */
trait QueryReports {

  /**
   * The event times of the progress, in epoch ms, by their names there. Asked by the thread of the
   * query.
   *
   * @param hasBatch
   *   whether the trigger has had a batch
   */
  def times(hasBatch: Boolean): Map[String, Long]

  /**
   * A batch has run. Asked by the thread of the query, before anybody sees the progress.
   *
   * @param inputRows
   *   how many rows the batch read from the sources
   * @return
   *   what the source `source` shows as its metrics, beside what it shows by itself
   */
  def batchEnded(batchId: Long, inputRows: Long): Map[String, String]

  /** The source whose metrics are completed. */
  def source: String

  /** Whether the offsets of that source are left out: they name the substreams. */
  def hidesOffset: Boolean

  /** Gauges for Spark's metrics. Asked once, after the first trigger. */
  def gauges: Seq[QueryGauge]
}

/**
 * A gauge of a query.
 *
 * @param value
 *   asked by any thread, and to be answered at once. As long as there is no value, there is no
 *   gauge; when there is none any more, the gauge stays where it is
 */
final case class QueryGauge(name: String, value: () => Option[Long])

object QueryReports {

  /** What is made when it is first asked, because a query has no plan when its sources are made. */
  def later(make: => QueryReports): QueryReports = new QueryReports {
    private lazy val made = make
    override def times(hasBatch: Boolean): Map[String, Long] = made.times(hasBatch)
    override def batchEnded(batchId: Long, inputRows: Long): Map[String, String] =
      made.batchEnded(batchId, inputRows)
    override def source: String = made.source
    override def hidesOffset: Boolean = made.hidesOffset
    override def gauges: Seq[QueryGauge] = made.gauges
  }
}
