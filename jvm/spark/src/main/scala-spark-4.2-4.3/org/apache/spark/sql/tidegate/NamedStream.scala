package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.{StreamingRelationV2, UserProvided}
import org.apache.spark.sql.connector.catalog.Table
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
    v1Relation = None,
    sourceIdentifyingName = UserProvided(name)
  )

  /** The same: Spark gives numbers only to sources without a name. */
  def withoutNumber(relation: StreamingRelationV2): LogicalPlan = relation
}
