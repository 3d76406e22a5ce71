package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.execution.LeafExecNode
import tidegate.clock.{KnownQueries, WatermarkRows}

/**
 * Reads the watermarks of the session's queries, on the driver, once for each plan: Spark keeps
 * what a node has returned, so a DataFrame that is collected twice has the same rows.
 */
final case class WatermarksTableExec(query: Option[String], output: Seq[Attribute])
    extends LeafExecNode
    with DescribesItself {

  override def describe: String = query.getOrElse("all queries that run")

  override def simpleString(maxFields: Int): String = s"$nodeName: $describe"

  override protected def doExecute(): RDD[InternalRow] = {
    val found = query.fold(KnownQueries.views(session))(q => Seq(KnownQueries.view(session, q)))
    val unsafe = UnsafeProjection.create(output, output)
    val rows = found.flatMap { case (ids, view) => WatermarkRows.of(ids, view) }
    // One partition keeps the order of the rows.
    sparkContext.parallelize(rows.map[InternalRow](unsafe(_).copy()), numSlices = 1)
  }
}
