package tidegate
package operators

/** The suites of joins once more, with Tidegate's own join. */
class JoinOwnSuite extends JoinSuite with OwnJoins

class JoinBoundsOwnSuite extends JoinBoundsSuite with OwnJoins

class JoinScenarioOwnSuite extends JoinScenarioSuite with OwnJoins

class JoinSpellingsOwnSuite extends JoinSpellingsSuite with OwnJoins

class NullKeysOwnSuite extends NullKeysSuite with OwnJoins

class ChainOwnSuite extends ChainSuite with OwnJoins
