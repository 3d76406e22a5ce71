package tidegate.execution

import org.apache.spark.sql.execution.SparkPlan

/**
 * A physical node whose description is the same in all modes of `EXPLAIN`, in the UI and in the
 * text of errors. Without it, the mode `formatted` would show the fields of the node as they are.
 */
private[tidegate] trait DescribesItself extends SparkPlan {

  /** What the node works on, without its name. */
  def describe: String

  override protected def stringArgs: Iterator[Any] = Iterator(describe)
}
