package tidegate.core

import org.scalatest.exceptions.{PropertyCheckFailedException, TestFailedException}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.{Failed, Outcome}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Base of the suites that check properties on generated input. */
abstract class PropertySuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 1000)

  /**
   * A failed property holds parts of ScalaCheck that can not be serialized: a forked test run would
   * lose its report, and end without a summary after the third one.
   */
  override def withFixture(test: NoArgTest): Outcome = super.withFixture(test) match {
    case Failed(failure: PropertyCheckFailedException) =>
      Failed(new TestFailedException(failure.getMessage, failedCodeStackDepth = 0))
    case outcome => outcome
  }
}
