package tidegate.clock

import java.util

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.tidegate.{EventTimeReporter, NamedStream}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The table behind the clock: no columns, no rows, only offsets. */
object ClockTable extends Table with SupportsRead {

  /**
   * The name of the source. Because the clock has a name, data sources keep their numbers in the
   * checkpoint.
   */
  val Name = "tidegate_clock"

  /** The clock as it stands in an analyzed plan. */
  def relation: StreamingRelationV2 = NamedStream(Name, this)

  /** Whether a node of an analyzed plan is the clock. */
  def isRelation(plan: LogicalPlan): Boolean = plan match {
    case r: StreamingRelationV2 => r.table eq ClockTable
    case _                      => false
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
      override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
        val clock = new EventTimeClock(RunningQuery.wallClockOfSources)
        RunningQuery.ofSources.foreach { query =>
          EventTimeReporter.install(query)(clock.progressTimes(clock.of(query), _))
        }
        clock
      }
    }
}
