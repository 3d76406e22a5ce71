package tidegate.clock

import java.util

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.tidegate.NamedStream
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The table behind the clock: no columns, no rows, only offsets. */
object ClockTable extends Table with SupportsRead {

  /** The name of the source. */
  val Name: String = ClockSource.Name

  /** The clock as it stands in an analyzed plan. */
  def relation: StreamingRelationV2 = NamedStream(Name, this)

  /** Whether a node of an analyzed plan is the clock. */
  def isRelation(plan: LogicalPlan): Boolean = plan match {
    case r: StreamingRelationV2 => r.table eq ClockTable
    case _                      => false
  }

  /**
   * A plan that is about to start, whose clock takes no number: data sources have the numbers in
   * the checkpoint that they have without a clock, on every Spark. A file source keeps its list of
   * files under its number, and would read all files again under another one.
   */
  def withoutNumber(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case r: StreamingRelationV2 if isRelation(r) => NamedStream.withoutNumber(r)
  }

  override def name(): String = Name

  /** What plans show. */
  override def toString: String = Name

  override def schema(): StructType = new StructType()

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.MICRO_BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
    new Scan {
      override def readSchema(): StructType = schema()
      override def description(): String = Name
      override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
        new EventTimeClock(RunningQuery.wallClockOfSources)
    }
}
