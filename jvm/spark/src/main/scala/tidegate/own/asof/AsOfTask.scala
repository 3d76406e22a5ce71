package tidegate.own.asof

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateOrdering
import org.apache.spark.sql.types.{IntegerType, StructType}
import tidegate.core.due.DueKeys
import tidegate.own.due.{DueSchema, StateDuePages}
import tidegate.own.{RowCount, StateRows, StoreTask}

/**
 * The columns, the keys and the time of one side.
 *
 * @param time
 *   the place of the time among the columns
 */
private[asof] final case class AsOfColumns(
    columns: Seq[Attribute],
    keys: Seq[Expression],
    time: Int
)

/**
 * What an as-of join does in each task; sent to the executors.
 *
 * @param before
 *   the limits of the batch before
 * @param tolerance
 *   in µs
 */
private[asof] final case class AsOfTask(
    inputs: Pair[AsOfColumns],
    condition: Option[Expression],
    isOuter: Boolean,
    tolerance: Option[Long],
    limits: AsOfLimits,
    before: AsOfLimits,
    output: Seq[Attribute],
    keySchema: StructType,
    valueSchema: StructType,
    sizes: AsOfSizes = AsOfSizes()
) {

  /**
   * The results; the state has changed when the last of them was read. And what is known of the
   * state then.
   */
  def run(
      task: StoreTask,
      rows: Pair[Iterator[InternalRow]]
  ): (Iterator[InternalRow], AsOfTask.AtEnd) = {
    def due(line: Int, now: Long) =
      new DueKeys(new StateDuePages(task.uncounted, keySchema, valueSchema, line), now)
    val dues = Pair(due(0, before.decided), due(1, before.passed))
    val count = StateDuePages.count(task.uncounted, keySchema, valueSchema, AsOfStateSchema.Count)
    val results = over(task.rows(Some(count)), dues, rows)
    // A row without a version has a row of nulls beside it.
    val project = UnsafeProjection.create(output, both.map(_.withNullability(true)))
    project.initialize(TaskContext.getPartitionId())
    (results.map(project), new AsOfTask.AtEnd(count, dues))
  }

  /** The results, in a row that is filled again. */
  def over(
      store: StateRows,
      dues: Pair[DueKeys[UnsafeRow]],
      rows: Pair[Iterator[InternalRow]]
  ): Iterator[InternalRow] = {
    val writer = new AsOfRowWriter
    def side(of: AsOfColumns, isLeft: Boolean) =
      new KeySide(
        store,
        writer,
        of.columns.size,
        of.time,
        isLeft,
        if (isLeft) null else new TimedRows.Ties(byColumns(of.columns), of.columns.size),
        sizes
      )
    val key = new KeyAsOf(
      store,
      writer,
      side(inputs.left, isLeft = true),
      side(inputs.right, isLeft = false),
      dues,
      limits,
      tolerance
    )
    new AsOfIterator(
      Pair(input(inputs.left, rows.left), input(inputs.right, rows.right)),
      order,
      key,
      dues,
      limits,
      tolerance,
      isPair,
      isOuter,
      Pair(inputs.left.columns.size, inputs.right.columns.size),
      sizes
    )
  }

  private def both: Seq[Attribute] = inputs.left.columns ++ inputs.right.columns

  private def input(of: AsOfColumns, rows: Iterator[InternalRow]): AsOfInput = new AsOfInput(
    rows,
    UnsafeProjection.create(of.columns, of.columns),
    UnsafeProjection.create(
      DueSchema.keyColumns(Literal(null, IntegerType) +: of.keys),
      of.columns
    ),
    of.keys.size,
    of.time
  )

  private def isPair: InternalRow => Boolean =
    condition.fold[InternalRow => Boolean](_ => true) { expression =>
      val generated = Predicate.create(expression, both)
      generated.initialize(TaskContext.getPartitionId())
      generated.eval
    }

  private def byColumns(columns: Seq[Attribute]): BaseOrdering = GenerateOrdering.generate(
    columns.zipWithIndex.collect {
      case (c, i) if RowOrdering.isOrderable(c.dataType) =>
        SortOrder(BoundReference(i, c.dataType, nullable = true), Ascending)
    }
  )

  /** The order of the keys of the state: after the chunk, and before the due keys. */
  private def order: BaseOrdering =
    GenerateOrdering.generate(inputs.left.keys.zipWithIndex.map { case (key, i) =>
      SortOrder(BoundReference(1 + i, key.dataType, nullable = true), Ascending)
    })
}

private[asof] object AsOfTask {

  /** What is known of the state when the last result was read. */
  final class AtEnd(rows: RowCount, dues: Pair[DueKeys[UnsafeRow]]) {

    /** The number of heads and chunks. */
    def count: Long = rows.write()

    /** In µs, when something is due next, because of left rows and because of versions. */
    def earliest: Seq[Long] = Seq(dues.left.earliest, dues.right.earliest)
  }
}
