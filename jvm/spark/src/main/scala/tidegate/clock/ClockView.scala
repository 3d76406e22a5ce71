package tidegate.clock

import scala.collection.concurrent.TrieMap
import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, Literal, UnsafeRow}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import tidegate.plans.KeyedWatermark

/** What a user may see of a node. `futureEvents` counts since the query was started. */
final case class NodeView(
    mark: NodeMark,
    substreams: Map[String, SubstreamView],
    futureEvents: Long)

/** What a user may see of a clock. `lateRows` counts by operator since the query was started. */
final case class ClockView(
    nodes: Map[String, NodeView],
    operators: Map[String, OperatorMark],
    lateRows: Map[String, Long])

/** Counts since the query was started. */
private[clock] final class ClockTotals {
  private val late = TrieMap.empty[String, Long]
  private val future = TrieMap.empty[String, Long]

  def addLateRows(operator: String, n: Long): Unit = add(late, operator, n)
  def addFutureEvents(node: String, n: Long): Unit = add(future, node, n)
  def lateRows: Map[String, Long] = late.toMap
  def futureEvents(node: String): Long = future.getOrElse(node, 0L)

  private def add(counts: TrieMap[String, Long], name: String, n: Long): Unit =
    counts(name) = counts.getOrElse(name, 0L) + n
}

/**
 * The names of substreams: their column values as text, joined by `/`. A `/` or `\` inside a value
 * is escaped with `\`, and a null is `\N`, so that different values have different names.
 */
private[clock] final class SubstreamNames {
  private val known = mutable.HashMap.empty[(String, UnsafeRow), String]

  def of(node: KeyedWatermark, row: UnsafeRow): String =
    if (node.substream.isEmpty) SubstreamNames.WholeStream
    else known.getOrElseUpdate(node.spec.name -> row, name(node, row))

  private def name(node: KeyedWatermark, row: UnsafeRow): String =
    node.substream.zipWithIndex
      .map { case (column, i) =>
        val value = BoundReference(i, column.dataType, nullable = true)
        val text = Cast(value, StringType, Some(SQLConf.get.sessionLocalTimeZone))
        text.eval(row) match {
          case null => "\\N"
          case s: UTF8String => s.toString.replace("\\", "\\\\").replace("/", "\\/")
          case other => Literal(other).toString
        }
      }
      .mkString("/")
}

private[clock] object SubstreamNames {
  val WholeStream = "*"
}
