package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.{
  CurrentTimestamp,
  Expression,
  InheritAnalysisRules,
  RuntimeReplaceable
}

/**
 * `PROCTIME()`: the wall clock when the batch of a stream was put together, which is in the offset
 * log; elsewhere the time of the query. A window over a column that this makes is a window of
 * processing time.
 */
final case class Proctime(replacement: Expression)
    extends RuntimeReplaceable
    with InheritAnalysisRules {

  override def parameters: Seq[Expression] = Nil

  override def prettyName: String = Proctime.Name

  override protected def withNewChildInternal(newChild: Expression): Proctime =
    copy(replacement = newChild)
}

object Proctime {
  val Name = "proctime"

  def now: Proctime = Proctime(CurrentTimestamp())
}
