package tidegate.bench

/** Alternating measurements of the same work. */
private[bench] object Pairs {

  /**
   * Seconds of each side, in the order of the rounds; the first round warms up and is left out.
   * Every other round goes through the sides backwards, so that none always follows the same one.
   * `before` runs ahead of every side and is not measured.
   */
  def measure(
      rounds: Int,
      before: () => Unit = () => ()
  )(sides: (() => Unit)*): Seq[Seq[Double]] = {
    val all = (0 to rounds).map { round =>
      val backwards = round % 2 == 1
      val run = (if (backwards) sides.reverse else sides).map { side =>
        before()
        seconds(side)
      }
      val times = if (backwards) run.reverse else run
      println(
        f"  round $round${if (round == 0) " (warm-up)" else ""}: " +
          times.map(s => f"$s%.3f s").mkString(", ")
      )
      times
    }
    all.tail.transpose
  }

  private def seconds(body: () => Unit): Double = {
    val start = System.nanoTime()
    body()
    (System.nanoTime() - start) / 1e9
  }

  /** The three ratios of a comparison, as text. */
  def ratios(sparks: Seq[Double], keyed: Seq[Double]): String =
    f"min ${keyed.min / sparks.min}%.3f, median ${median(keyed) / median(sparks)}%.3f, " +
      f"median of the pairs ${median(keyed.zip(sparks).map { case (k, s) => k / s })}%.3f"

  def median(values: Seq[Double]): Double = values.sorted.apply(values.size / 2)
}
