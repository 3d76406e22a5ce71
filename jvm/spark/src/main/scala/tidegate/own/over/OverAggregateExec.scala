package tidegate.own.over

import java.util.concurrent.TimeUnit

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.{IntegerType, StructField, StructType}
import tidegate.columns.EventTimeTag
import tidegate.core.EndOfTime
import tidegate.core.due.DueKeys
import tidegate.own.due.{DueSchema, StateDuePages}
import tidegate.own.{OperatorContext, OwnOperatorExec, StateMark}
import tidegate.plans.EmitsEarlierRows
import tidegate.statistics.DueTimes

/**
 * Gives each row the results of functions over the rows before it, of which the state has a row for
 * each key. A batch reads and writes the keys of its rows, and no others.
 *
 * @param retentionMs
 *   how long after its last row a key is kept that would be kept for ever
 * @param child
 *   gives the rows of each partition in the order of their times
 */
final case class OverAggregateExec(
    functions: OverFunctions,
    columns: Seq[Attribute],
    mark: StateMark,
    partitionBy: Seq[Attribute],
    eventTime: Attribute,
    nullable: Set[ExprId],
    retentionMs: Option[Long],
    context: OperatorContext,
    child: SparkPlan
) extends UnaryExecNode
    with OwnOperatorExec {

  private def input: Seq[Attribute] = EmitsEarlierRows.restored(child.output, nullable)

  override def output: Seq[Attribute] = input ++ columns

  override def producedAttributes: AttributeSet =
    AttributeSet(functions.results ++ columns) ++
      AttributeSet(functions.frames.flatMap { case (_, a) =>
        a.buffers ++ a.inputBuffers :+ a.frame
      })

  override def outputPartitioning: Partitioning = child.outputPartitioning

  /** The order below has brought the rows here; a shuffle would mix them. */
  override def requiredChildDistribution: Seq[Distribution] = Seq(UnspecifiedDistribution)

  private def entries: Seq[StructType] = functions.frames.map(_._2.entryType)

  override protected def keyColumns: StructType = DueSchema.key(
    StructType(
      StructField("chunk", IntegerType) +: (
        if (partitionBy.isEmpty) Seq(StructField("all_rows", IntegerType))
        else partitionBy.map(k => StructField(k.name, k.dataType))
      )
    )
  )

  override protected def valueSchema: StructType =
    DueSchema.value(PastRow.schema(entries), keySchema)

  private def keptMicros: Option[Long] = functions.keptMicros.orElse {
    retentionMs.map { ms =>
      (TimeUnit.MILLISECONDS.toMicros(ms) +: functions.frames.collect {
        case (OverRange(Some(lower), _), _) => lower.longest
      }).max
    }
  }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val times = context.times
    val (before, now) = (EndOfTime.micros(times.evictedMs), EndOfTime.micros(times.evictionMs))
    val (stateKey, stateValue, counts) = (keySchema, valueSchema, countsItself)
    val (told, kept, in, frames) = (context.due, keptMicros, input, functions.frames)
    val values = in ++ functions.values
    val valueInput = in ++ functions.results
    val time = EventTimeTag.decisive(eventTime)
    val key = DueSchema.keyColumns(
      Literal(null, IntegerType) +:
        (if (partitionBy.isEmpty) Seq(Literal(0)) else partitionBy.map(SparkInternals.normalized))
    )
    withStore(child.execute(), countsRows = !counts) { (task, rows) =>
      val count =
        Option.when(counts)(StateDuePages.count(task.uncounted, stateKey, stateValue, PastRow.Last))
      val due =
        new DueKeys[UnsafeRow](new StateDuePages(task.uncounted, stateKey, stateValue), before)
      val inFrames = frames.map { case (frame, a) => new FrameValues(frame, a, in) }.toArray
      val past =
        new PastStore(
          task.rows(count),
          due,
          inFrames,
          kept,
          now
        )
      val toUnsafe = UnsafeProjection.create(in, in)
      val leaving = new OverIterator(
        rows.map {
          case u: UnsafeRow => u
          case other        => toUnsafe(other)
        },
        inFrames,
        UnsafeProjection.create(Seq(time), in),
        UnsafeProjection.create(key, in),
        UnsafeProjection.create(values, valueInput),
        in.size,
        past
      )
      task.commitAtEnd(
        leaving,
        () => due.rows,
        () => count.map(_.write()),
        // A key that leaves changes no result, so no batch has to come for it.
        tell = () => told.foreach(_.tell(task.partition, DueTimes.Never))
      )
    }
  }

  override def describe: String =
    s"partitionBy=${partitionBy.mkString("[", ", ", "]")}, eventTime=$eventTime, " +
      s"functions=${mark.meaning.drop(2 + partitionBy.size).mkString("[", ", ", "]")}"

  override protected def withNewChildInternal(newChild: SparkPlan): OverAggregateExec =
    copy(child = newChild)
}
