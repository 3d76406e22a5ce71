package tidegate.functions

import scala.util.Random

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{IntegerType, LongType}
import org.scalatest.funsuite.AnyFunSuite

/** The first rows of random groups, against a sort of all rows. */
class TopRowsSuite extends AnyFunSuite {
  private val rank = Seq(RankFunction.RowNumber, RankFunction.Rank, RankFunction.DenseRank)

  private def top(rank: RankFunction, limit: Int): TopRows = TopRows(
    CreateStruct(Seq(BoundReference(0, IntegerType, true), BoundReference(1, LongType, false))),
    Seq(SortOrder(BoundReference(0, IntegerType, true), Descending)),
    rank,
    limit
  )

  private def rows(of: Seq[(Option[Int], Long)]): Seq[InternalRow] =
    of.map { case (key, id) => InternalRow(key.getOrElse(null), id) }

  private def result(function: TopRows, buffer: TopRows.Buffer): Seq[(Int, Option[Int], Long)] = {
    val found = function.eval(buffer).asInstanceOf[ArrayData]
    (0 until found.numElements()).map { i =>
      val element = found.getStruct(i, 2)
      val row = element.getStruct(1, 2)
      (element.getInt(0), if (row.isNullAt(0)) None else Some(row.getInt(0)), row.getLong(1))
    }
  }

  /** NULL comes last in descending order. */
  private def model(
      rank: RankFunction,
      limit: Int,
      of: Seq[(Option[Int], Long)]
  ): Seq[(Int, Option[Int], Long)] = {
    val sorted = of.sortBy(_._1.fold(Long.MaxValue)(-_.toLong))
    val keys = sorted.map(_._1)
    sorted.zipWithIndex
      .map { case ((key, id), i) =>
        val number = rank match {
          case RankFunction.RowNumber => i + 1
          case RankFunction.Rank      => keys.indexOf(key) + 1
          case RankFunction.DenseRank => keys.distinct.indexOf(key) + 1
        }
        (number, key, id)
      }
      .filter(_._1 <= limit)
  }

  private def random(random: Random): Seq[(Option[Int], Long)] =
    Seq.tabulate(random.nextInt(40)) { i =>
      Option.when(random.nextInt(8) > 0)(random.nextInt(10)) -> i.toLong
    }

  test("rows of other columns, or in another order, are refused; another limit is not") {
    val function = top(RankFunction.RowNumber, 3)
    val buffer = rows(Seq(Some(2) -> 1L, Some(1) -> 2L, None -> 3L))
      .foldLeft(function.createAggregationBuffer())(function.update)
    val bytes = function.serialize(buffer)
    assert(top(RankFunction.RowNumber, 2).deserialize(bytes).rows.size === 2)
    val ascending = function.copy(order = function.order.map(_.copy(direction = Ascending)))
    for (other <- Seq(ascending, function.copy(rank = RankFunction.Rank))) {
      val error = intercept[AnalysisException](other.deserialize(bytes))
      val direction = other.order.head.direction.sql
      assert(
        error.getMessage === "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of the " +
          s"aggregate ${other.prettyName}: values of other columns, or in another order. But those of " +
          s"the query are struct<col1:int,col2:bigint>, ordered by int $direction NULLS " +
          "LAST. Start the query as it was, or with a new checkpoint; nothing in this one was " +
          "changed. SQLSTATE: 42K03"
      )
    }
  }

  for (rank <- rank) {
    test(s"${rank.name}: in one part, in many parts, and from bytes") {
      for (seed <- 1 to 300) {
        val source = new Random(seed)
        val (limit, input) = (source.nextInt(6), random(source))
        val function = top(rank, limit)
        val wanted = model(rank, limit, input)
        val whole = rows(input).foldLeft(function.createAggregationBuffer())(function.update)
        assert(result(function, whole) === wanted, s"seed $seed, limit $limit")
        val parts = rows(input)
          .grouped(1 + source.nextInt(10))
          .map(_.foldLeft(function.createAggregationBuffer())(function.update))
          .map(part => function.deserialize(function.serialize(part)))
        val merged = parts.foldLeft(function.createAggregationBuffer())(function.merge)
        assert(result(function, merged) === wanted, s"seed $seed, limit $limit, merged")
      }
    }
  }
}
