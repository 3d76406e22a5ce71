package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.builders.Between
import tidegate.own.HarnessTest

/**
 * The state of a join: where Spark keeps it, and in which of its formats.
 *
 * @param isOwn
 *   whether the join is Tidegate's own, whose state has no such format
 */
final case class JoinState(store: String, format: Int, isOwn: Boolean = false) {
  override def toString: String =
    if (isOwn) s"interval join on $store" else s"format $format on $store"
}

/** Orders and deliveries, each with a watermark key of its own. */
trait JoinTest extends HarnessTest {

  val joinTypes: Seq[String] =
    Seq("inner", "leftOuter", "rightOuter", "fullOuter", "leftSemi", "leftAnti")

  /** Formats from 3 on need column families, which only RocksDB has. */
  val joinStates: Seq[JoinState] = Seq(
    JoinState("HDFSBacked", 2),
    JoinState("RocksDB", 2),
    JoinState("RocksDB", 3),
    JoinState("RocksDB", 4)
  ).filter(state => SparkFeatures.hasJoinFormat(state.format)) ++ ownJoinStates

  /** Of Tidegate's own join. */
  lazy val ownJoinStates: Seq[JoinState] =
    Seq(JoinState("HDFSBacked", 2, isOwn = true), JoinState("RocksDB", 2, isOwn = true))

  def on[T](state: JoinState)(body: => T): T = on(state.store) {
    withConf(
      "spark.sql.streaming.join.stateFormatVersion" -> state.format.toString,
      "spark.sql.streaming.join.stateFormatV4.enabled" -> (state.format == 4).toString,
      "spark.tidegate.join.enabled" -> state.isOwn.toString
    )(body)
  }

  /**
   * How many rows of streams wait in the state; a join of ours has several in a row of the store.
   */
  def heldRows(run: Run): Long = OwnJoins.heldRows(run.query, run.checkpoint.toString)

  def ordersOf(events: DataFrame): DataFrame =
    events.select(col("n").as("id"), col("time").as("order_time"), col("sub"))

  def deliveriesOf(events: DataFrame): DataFrame =
    events.select(col("n").as("id"), col("time").as("delivery_time"), col("sub"))

  def orders(events: DataFrame, lag: String = "2 seconds"): DataFrame =
    ordersOf(events)
      .withKeyedWatermark("order_time", lag, key = 0, substream = Seq("sub"), name = "orders")

  def deliveries(events: DataFrame, lag: String = "2 seconds"): DataFrame =
    deliveriesOf(events).withKeyedWatermark(
      "delivery_time",
      lag,
      key = 1,
      substream = Seq("sub"),
      name = "deliveries"
    )

  /** Each delivery at most so long after its order. */
  def within(seconds: Int): Between =
    Between("delivery_time", "order_time", "0 seconds", s"$seconds seconds")

  /** Events up to 100 s, none of them late, and a last one that lets all the others go. */
  lazy val leftRows: Seq[Seq[Event]] = Seq(
    Seq(event("a", 5, 1), event("b", 3, 2)),
    Seq(event("a", 30, 3), event("b", 29, 4), event("b", 5, 1)),
    Seq(event("a", 60, 5), event("a", 58, 9), event("b", 60, 6), event("b", 60, 6)),
    Seq(event("a", 100, 7), event("b", 101, 8), event("b", 99, 8)),
    Seq(event("a", End, 99), event("b", End, 99))
  )

  lazy val left: Path = files(leftRows: _*)

  /** Goes with `left`: some have a partner within 10 s, some have none, some have two. */
  lazy val rightRows: Seq[Seq[Event]] = Seq(
    Seq(event("a", 6, 1), event("b", 3, 1)),
    Seq(event("a", 31, 3), event("b", 41, 4), event("b", 39, 4)),
    Seq(event("a", 61, 5), event("b", 90, 6)),
    Seq(event("a", 101, 7), event("a", 101, 8), event("b", 103, 8)),
    Seq(event("a", End, 98), event("b", End, 98))
  )
  lazy val right: Path = files(rightRows: _*)
  private lazy val End = 99999.0

  /**
   * As in batch, but for what is made of the last rows alone.
   *
   * @param isKilled
   *   whether the query is also killed in every batch
   */
  def checkAsBatch(query: (Path => DataFrame) => DataFrame, isKilled: Boolean = true): Run =
    checkAsBatch(query, query(table).collect().toSeq, isKilled)

  def checkAsBatch(
      query: (Path => DataFrame) => DataFrame,
      batch: Seq[Row],
      isKilled: Boolean
  ): Run = {
    def frame = query(stream(_))
    val run = if (isKilled) checkKills(frame) else new Run(frame).start().settle()
    assert(run.lateRows === Map.empty)
    assert(withoutEnd(run.rows) === withoutEnd(batch))
    run
  }

  /**
   * As `checkAsBatch` without a stream, for each of several queries, which run as branches of one.
   *
   * @param isKilled
   *   whether the query is also killed in every batch
   * @param limit
   *   how many rows of the store each operator has at the end, at most
   * @return
   *   the rows of each query
   */
  def checkBranches(
      branches: Seq[(String, (Path => DataFrame) => DataFrame)],
      isKilled: Boolean = true,
      limit: Long = Long.MaxValue
  ): Map[String, Seq[String]] = {
    def frame = Branches.of(branches.map(b => b._1 -> b._2(feedOf(_).toDF())))
    val run = if (isKilled) checkKilled(frame) else harness(frame).start().settle()
    assert(run.lateRows === Map.empty)
    val found = Branches.answers(run.rows)
    val batch =
      Branches.answers(Branches.of(branches.map(b => b._1 -> b._2(table))).collect().toSeq)
    branches.map(_._1).foreach { title =>
      withClue(s"$title: ") {
        val expected = batch.getOrElse(title, Nil).filterNot(_.contains(EndDay))
        assert(found.getOrElse(title, Nil).filterNot(_.contains(EndDay)) === expected)
      }
    }
    assert(batch.nonEmpty)
    run.rowsOfOperators.foreach { case (operator, rows) =>
      withClue(s"$operator: ")(assert(rows <= limit))
    }
    found
  }

  /** The day of the last rows, as text. */
  private val EndDay = "1970-01-02"

  private def withoutEnd(rows: Seq[Row]): Seq[String] =
    rows.map(KeyedStreamTest.text).filterNot(_.matches(".*\\d{5}.*")).sorted
}
