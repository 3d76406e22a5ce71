package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.execution.LeafExecNode
import tidegate.clock.{ExplanationRows, KnownQueries, ProgressRows}
import tidegate.plans.SightTable

/** Reads what the session's queries tell of their time, on the driver, once for each plan. */
final case class SightTableExec(
    what: SightTable.What,
    query: Option[String],
    output: Seq[Attribute]
) extends LeafExecNode
    with DescribesItself {

  override def describe: String = s"$what of ${query.getOrElse("all queries that run")}"

  override def simpleString(maxFields: Int): String = s"$nodeName: $describe"

  override protected def doExecute(): RDD[InternalRow] = {
    val found = query.fold(KnownQueries.sights(session))(q => Seq(KnownQueries.sight(session, q)))
    val unsafe = UnsafeProjection.create(output, output)
    val rows = found.flatMap { case (ids, sight) =>
      what match {
        case SightTable.Progress(last) => ProgressRows.of(ids, sight.memory.batches.takeRight(last))
        case SightTable.Explanation    => ExplanationRows.of(ids, sight)
      }
    }
    // One partition keeps the order of the rows.
    sparkContext.parallelize(rows.map[InternalRow](unsafe(_).copy()), numSlices = 1)
  }
}
