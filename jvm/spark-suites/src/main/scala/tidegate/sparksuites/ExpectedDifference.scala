package tidegate.sparksuites

/** A test that is known to fail in these modes, and the heading of its reason. */
private[sparksuites] final case class ExpectedDifference(
    modes: Set[String],
    test: SuiteTest,
    reason: String
)
