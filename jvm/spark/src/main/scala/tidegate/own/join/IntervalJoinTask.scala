package tidegate.own.join

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateOrdering
import org.apache.spark.sql.types.{IntegerType, StructType}
import tidegate.core.due.DueKeys
import tidegate.operators.SideLimit
import tidegate.own.due.{DueSchema, StateDuePages}
import tidegate.own.{RowCount, StoreTask}

/** The columns and the keys of one side. */
private[join] final case class JoinInput(columns: Seq[Attribute], keys: Seq[Expression])

/** What an interval join does in each task; sent to the executors. */
private[join] final case class IntervalJoinTask(
    inputs: Sides[JoinInput],
    condition: JoinCondition,
    rules: JoinRules,
    reach: Reach,
    limits: Sides[SideLimit],
    output: Seq[Attribute],
    keySchema: StructType,
    valueSchema: StructType,
    sizes: JoinSizes = JoinSizes()
) {

  /**
   * The results; the state has changed when the last of them was read. And what is known of the
   * state then.
   */
  def run(
      task: StoreTask,
      rows: Sides[Iterator[InternalRow]]
  ): (Iterator[InternalRow], IntervalJoinTask.AtEnd) = {
    val upTo = limits.map(_.upTo)
    val dues =
      Sides(0, 1).map(axis => new StateDuePages(task.uncounted, keySchema, valueSchema, axis))
    val dueKeys = Sides(
      new DueKeys(dues.left, limits.left.before),
      new DueKeys(dues.right, limits.right.before)
    )
    val fields = inputs.map(_.columns.size)
    val times = Sides(timeOf(isLeft = true), timeOf(isLeft = false))
    val alone = new RowsAlone(fields)
    val count =
      StateDuePages.count(task.uncounted, keySchema, valueSchema, JoinStateSchema.Count)
    val join = new KeyJoin(
      task.rows(Some(count)),
      rules,
      new Pairing(
        fields.left,
        fields.right,
        predicate(condition.ofPair, both),
        reach,
        rules
      ),
      reach,
      alone,
      times,
      upTo,
      sizes,
      dueKeys
    )
    val results = new IntervalJoinIterator(
      Sides(input(isLeft = true, rows), input(isLeft = false, rows)),
      order,
      join,
      dueKeys,
      upTo,
      alone,
      sizes
    )
    // An outer join has a row of nulls in the place of a side.
    val project = UnsafeProjection.create(output, both.map(_.withNullability(true)))
    project.initialize(TaskContext.getPartitionId())
    (results.map(project), new IntervalJoinTask.AtEnd(count, dueKeys))
  }

  private def both: Seq[Attribute] = inputs.left.columns ++ inputs.right.columns

  private def timeOf(isLeft: Boolean): SideTime =
    SideTime.of(limits.of(isLeft).time, inputs.of(isLeft).columns)

  private def input(isLeft: Boolean, rows: Sides[Iterator[InternalRow]]): SideInput = {
    val JoinInput(columns, keys) = inputs.of(isLeft)
    new SideInput(
      rows.of(isLeft),
      UnsafeProjection.create(columns, columns),
      UnsafeProjection.create(
        DueSchema.keyColumns(Literal(null, IntegerType) +: keys),
        columns
      ),
      predicate(condition.ofSide.of(isLeft), columns),
      timeOf(isLeft),
      rules.emitsUnmatched.of(isLeft),
      sizes
    )
  }

  private def predicate(of: Option[Expression], columns: Seq[Attribute]): InternalRow => Boolean =
    of.fold[InternalRow => Boolean](_ => true) { expression =>
      val generated = Predicate.create(expression, columns)
      generated.initialize(TaskContext.getPartitionId())
      generated.eval
    }

  /** The order of the keys of the state: after the chunk, and before the due keys. */
  private def order: BaseOrdering =
    GenerateOrdering.generate(inputs.left.keys.zipWithIndex.map { case (key, i) =>
      SortOrder(BoundReference(1 + i, key.dataType, nullable = true), Ascending)
    })
}

private[join] object IntervalJoinTask {

  /** What is known of the state when the last result was read. */
  final class AtEnd(rows: RowCount, due: Sides[DueKeys[UnsafeRow]]) {

    /** The number of heads and chunks. */
    def count: Long = rows.write()

    /** In µs, when something is due next, for the rows of each side. */
    def earliest: Sides[Long] = due.map(_.earliest)
  }
}

/**
 * The condition of a join in parts.
 *
 * @param ofSide
 *   what the rows of one side alone say: a row for which this is not true has no partner. A row
 *   with a NULL in one of its keys has none either
 * @param ofPair
 *   the rest
 */
private[join] final case class JoinCondition(
    ofSide: Sides[Option[Expression]],
    ofPair: Option[Expression]
)

private[join] object JoinCondition extends PredicateHelper {

  def of(
      condition: Option[Expression],
      columns: Sides[AttributeSet],
      keys: Sides[Seq[Expression]]
  ): JoinCondition = {
    val all = condition.toSeq.flatMap(splitConjunctivePredicates)
    val (certain, others) = all.span(_.deterministic)
    def isOf(isLeft: Boolean)(e: Expression) =
      e.references.nonEmpty && e.references.subsetOf(columns.of(isLeft))
    def ofSide(isLeft: Boolean) = certain.filter(isOf(isLeft)) ++
      keys.of(isLeft).filter(_.nullable).map(IsNotNull(_))
    val ofPair = certain.filterNot(e => isOf(isLeft = true)(e) || isOf(isLeft = false)(e)) ++ others
    def and(parts: Seq[Expression]) = parts.reduceOption(And(_, _))
    JoinCondition(Sides(and(ofSide(isLeft = true)), and(ofSide(isLeft = false))), and(ofPair))
  }
}
