package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.types.Metadata

/**
 * The results of asynchronous calls. Counts the calls, takes `CallColumns` off the rows, and gives
 * the event times that the function has passed on their marks back.
 *
 * Keeps no state. A batch ends when all its calls have ended, and time moves only between batches:
 * a watermark never overtakes a row.
 *
 * @param times
 *   the columns that are event times
 * @param metadata
 *   the marks of each; kept apart as in [[RetagEventTime]]
 * @param calls
 *   the columns that tell of the calls, as in [[CallColumns]]
 * @param function
 *   the name of the function
 * @param deadLetters
 *   the folder for rows whose calls have failed
 */
final case class AsyncCalls(
    times: Seq[Attribute],
    metadata: Seq[Metadata],
    calls: Seq[Attribute],
    function: String,
    deadLetters: Option[String],
    child: LogicalPlan
) extends UnaryNode {

  override def output: Seq[Attribute] = AsyncCalls.output(child.output, times, metadata, calls)

  /** Not the event times: the node must not keep a column alive that nothing else needs. */
  @transient override lazy val references: AttributeSet = AttributeSet(calls)

  override protected def stringArgs: Iterator[Any] =
    Iterator(function) ++ deadLetters.map(folder => s"deadLetters=$folder")

  override protected def withNewChildInternal(newChild: LogicalPlan): AsyncCalls =
    copy(child = newChild)
}

object AsyncCalls {

  def output(
      input: Seq[Attribute],
      times: Seq[Attribute],
      metadata: Seq[Metadata],
      calls: Seq[Attribute]
  ): Seq[Attribute] = {
    val columns = input.filterNot(a => calls.exists(_.exprId == a.exprId))
    RetagEventTime.retag(columns, times, metadata)
  }
}
