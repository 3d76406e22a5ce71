package tidegate.statistics

import org.apache.spark.sql.execution.SparkPlan
import tidegate.core.figures.StateSize

/** A node of a plan that knows how large the state of an operator is. */
private[tidegate] trait SizedState extends SparkPlan {

  /** What the operator is called, for each of its inputs. */
  def names: Seq[String]

  /** As it was when the plan had run. */
  def stateSize: Option[StateSize]
}
