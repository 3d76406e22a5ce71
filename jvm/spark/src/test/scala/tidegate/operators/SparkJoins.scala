package tidegate
package operators

import org.scalatest.{Outcome, TestSuite}
import tidegate.settings.Settings

/** Runs the tests of a suite with Spark's joins, where a test does not say otherwise. */
trait SparkJoins extends TestSuite { self: KeyedStreamTest =>

  abstract override protected def withFixture(test: NoArgTest): Outcome =
    withConf(Settings.JoinEnabled.key -> "false")(super.withFixture(test))
}
