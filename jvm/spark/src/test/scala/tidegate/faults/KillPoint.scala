package tidegate
package faults

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, ReturnAnswer}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** A moment of a batch at which a query fails, once. */
sealed abstract class KillPoint(val title: String) {

  /** Lets the query fail at this moment of the batch, and then not any more. */
  def arm(batch: Long): Unit
}

object KillPoint {

  private val Reason = "killed here"

  private def fail(): Nothing = throw new IllegalStateException(Reason)

  /** Whether such a failure has ended a query. Failures of tasks are causes of other errors. */
  def isReasonOf(error: Throwable): Boolean =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).exists(_.toString.contains(Reason))

  /** Fails around the commit of the file that fits. */
  private final class File(title: String, isAfter: Boolean, fits: (String, Long) => Boolean)
      extends KillPoint(title) {
    override def arm(batch: Long): Unit = {
      def failOnce(to: Path): Unit = if (fits(to.toString, batch)) {
        disarm()
        fail()
      }
      if (isAfter) DirectFiles.afterRename = failOnce else DirectFiles.beforeRename = failOnce
    }
  }

  /** A start plans the re-reading of the last batch, if there is one, and then batch by batch. */
  private final class Planning(nth: Int) extends KillPoint(s"while plan $nth of a start is made") {
    override def arm(batch: Long): Unit = PlanningFault.plansLeft = nth
  }

  private def ends(folder: String)(file: String, batch: Long) = file.endsWith(s"/$folder/$batch")

  private val times = (file: String, _: Long) => file.contains("/tidegate.skipped")

  private def isState(file: String, batch: Long) =
    file.matches(s".*/state/\\d+/\\d+/(.*/)?${batch + 1}(_[^/]*)?\\.(delta|changelog|zip)")

  val all: Seq[KillPoint] = Seq(
    new File("before the offset is written", isAfter = false, ends("offsets")),
    new File("after the offset is written", isAfter = true, ends("offsets")),
    new File("before the times of the batch are written", isAfter = false, times),
    new File("after the times of the batch are written", isAfter = true, times),
    new Planning(1),
    new Planning(2),
    new Planning(3),
    new File("before the first state is committed", isAfter = false, isState),
    new File("after the first state is committed", isAfter = true, isState),
    new File("before the sink commits", isAfter = false, ends("_spark_metadata")),
    new File("after the sink has committed", isAfter = true, ends("_spark_metadata")),
    new File("before the batch is committed", isAfter = false, ends("commits")),
    new File("after the batch is committed", isAfter = true, ends("commits"))
  )

  def disarm(): Unit = {
    DirectFiles.beforeRename = _ => ()
    DirectFiles.afterRename = _ => ()
    PlanningFault.plansLeft = 0
  }

  /** A strategy of the session that plans nothing, and fails when it is told to. */
  object PlanningFault extends SparkStrategy {
    @volatile var plansLeft = 0

    override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
      plan match {
        case _: ReturnAnswer if plansLeft > 0 =>
          plansLeft -= 1
          if (plansLeft == 0) fail()
        case _ => ()
      }
      Nil
    }
  }
}
