package tidegate.sparksuites

/** A test of one of Spark's suites, by the suite's simple name. */
private[sparksuites] final case class SuiteTest(suite: String, title: String) {
  override def toString: String = s"$suite: $title"
}
