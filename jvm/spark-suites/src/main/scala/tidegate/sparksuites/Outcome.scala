package tidegate.sparksuites

/** What a test gave in a mode; `failure` is empty if the test has passed. */
private[sparksuites] final case class Outcome(
    mode: String,
    test: SuiteTest,
    failure: Option[Throwable]
)
