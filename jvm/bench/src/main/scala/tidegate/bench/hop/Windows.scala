package tidegate.bench.hop

/** The windows of a query. */
private[hop] sealed trait Windows {

  /** The length of the largest, or of the gap that ends a session. */
  def sizeSeconds: Int
}

private[hop] object Windows {

  /** They do not overlap. */
  final case class Tumbling(sizeSeconds: Int) extends Windows

  /** Sessions, as long as the gaps between their rows are shorter than the size. */
  final case class Session(sizeSeconds: Int) extends Windows

  /** They slide by a second. */
  final case class Sliding(sizeSeconds: Int) extends Windows

  /** They grow by a step, up to the size. */
  final case class Growing(stepSeconds: Int, sizeSeconds: Int) extends Windows
}
