package tidegate.bench.hop

/** The windows of a query. */
private[hop] sealed trait Windows {

  /** The length of the largest. */
  def sizeSeconds: Int
}

private[hop] object Windows {

  /** They slide by a second. */
  final case class Sliding(sizeSeconds: Int) extends Windows

  /** They grow by a step, up to the size. */
  final case class Growing(stepSeconds: Int, sizeSeconds: Int) extends Windows
}
