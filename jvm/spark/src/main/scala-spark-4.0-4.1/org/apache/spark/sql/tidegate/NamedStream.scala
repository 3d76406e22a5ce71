package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table}
import org.apache.spark.sql.execution.datasources.v2.{
  StreamingDataSourceV2Relation,
  StreamingDataSourceV2ScanRelation
}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A table without columns, as a source of a streaming query. */
object NamedStream {

  def apply(name: String, table: Table): StreamingRelationV2 = StreamingRelationV2(
    source = None,
    sourceName = name,
    table = table,
    extraOptions = CaseInsensitiveStringMap.empty(),
    output = Nil,
    catalog = None,
    identifier = None,
    v1Relation = None
  )

  /**
   * The source as it stands in a plan that is about to start. Spark gives a number to each source
   * that it makes; this one is made already.
   */
  def withoutNumber(relation: StreamingRelationV2): LogicalPlan = relation.table match {
    case table: SupportsRead =>
      val scan = table.newScanBuilder(relation.extraOptions).build()
      val options = relation.extraOptions
      StreamingDataSourceV2ScanRelation(
        StreamingDataSourceV2Relation(table, relation.output, None, None, options, ""),
        scan,
        relation.output,
        scan.toMicroBatchStream("")
      )
    case _ => relation
  }
}
