package tidegate.sparksuites

/** One of Spark's suites that is to run, by its class, and the modes in which it runs. */
private[sparksuites] final case class ListedSuite(className: String, modes: Set[String]) {
  def name: String = className.split('.').last
}

private[sparksuites] object ListedSuite {
  private val Prefix = "org.apache.spark.sql."

  /** Reads the list of suites: a line is a class, and `| modes` if these are not all. */
  def parse(lines: Seq[String]): Seq[ListedSuite] =
    lines.map(_.trim).filterNot(line => line.isEmpty || line.startsWith("#")).map { line =>
      line.split(" \\| ") match {
        case Array(name)        => ListedSuite(Prefix + name, Mode.names)
        case Array(name, modes) => ListedSuite(Prefix + name, Mode.parse(modes).getOrElse(no(line)))
        case _                  => no(line)
      }
    }

  private def no(line: String): Nothing = throw new IllegalArgumentException(
    s"'$line' in the list of suites has to be the name of a class without $Prefix, and after " +
      s"' | ' modes of ${Mode.list}, or no modes for all."
  )
}
