package tidegate
package operators

import tidegate.clock.FlushSuite
import tidegate.execution.LateTableSuite

/** The suites of joins once more, with Spark's join. */
class JoinOfSparkSuite extends JoinSuite with SparkJoins

class JoinBoundsOfSparkSuite extends JoinBoundsSuite with SparkJoins

class JoinScenarioOfSparkSuite extends JoinScenarioSuite with SparkJoins

class JoinSpellingsOfSparkSuite extends JoinSpellingsSuite with SparkJoins {
  override protected def keepsUnusedTimes: Boolean = false
}

class NullKeysOfSparkSuite extends NullKeysSuite with SparkJoins

class ChainOfSparkSuite extends ChainSuite with SparkJoins

class UnionOfSparkSuite extends UnionSuite with SparkJoins

class FlushOfSparkSuite extends FlushSuite with SparkJoins

class LateTableOfSparkSuite extends LateTableSuite with SparkJoins
