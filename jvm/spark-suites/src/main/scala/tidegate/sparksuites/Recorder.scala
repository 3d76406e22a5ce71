package tidegate.sparksuites

import scala.collection.mutable

import org.scalatest.Reporter
import org.scalatest.events._

/**
 * Notes what each test of a suite gave, and shows how far the run is.
 *
 * @param title
 *   which tests count
 * @param starting
 *   called before each test, with its title
 */
private[sparksuites] final class Recorder(
    mode: Mode,
    suite: String,
    title: String => Boolean,
    starting: String => Unit
) extends Reporter {
  private val outcomes = mutable.ArrayBuffer.empty[Outcome]

  def recorded: Seq[Outcome] = synchronized(outcomes.toSeq)

  /** A suite that cannot begin or end counts as a test of its own. */
  def aborted(cause: Throwable): Unit = note(Recorder.Whole, Some(cause), None)

  override def apply(event: Event): Unit = event match {
    case e: TestStarting  => starting(e.testName)
    case e: TestSucceeded => note(e.testName, None, e.duration)
    case e: TestFailed    =>
      note(e.testName, Some(e.throwable.getOrElse(new AssertionError(e.message))), e.duration)
    case e: SuiteAborted => aborted(e.throwable.getOrElse(new AssertionError(e.message)))
    case _               =>
  }

  private def note(test: String, failure: Option[Throwable], ms: Option[Long]): Unit =
    if (title(test)) synchronized {
      outcomes += Outcome(mode.name, SuiteTest(suite, test), failure)
      val state = if (failure.isEmpty) "passed" else "FAILED"
      println(f"${mode.name}%-9s $state ${ms.getOrElse(0L) / 1000.0}%6.1f s  $suite: $test")
      failure.foreach(f => println(s"          ${String.valueOf(f.getMessage).take(3000)}"))
    }
}

private[sparksuites] object Recorder {
  val Whole = "(the suite)"
}
