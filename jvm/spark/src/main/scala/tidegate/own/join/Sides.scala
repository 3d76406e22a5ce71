package tidegate.own.join

/** One of something for each side of a join. */
final case class Sides[+T](left: T, right: T) {

  def of(isLeft: Boolean): T = if (isLeft) left else right

  def map[U](f: T => U): Sides[U] = Sides(f(left), f(right))
}

object Sides {

  /** Whether it is the left one, of both sides. */
  private[join] val Both: Seq[Boolean] = Seq(true, false)
}
