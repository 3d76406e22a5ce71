package tidegate.bench

import java.lang.management.ManagementFactory

import com.sun.management.OperatingSystemMXBean

/** The time that one side took, in seconds: wall time and processor time. */
private[bench] final case class Took(wall: Double, cpu: Double)

/** Alternating measurements of the same work. */
private[bench] object Pairs {
  private val process = ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean])

  /**
   * The times of each side, in the order of the rounds; the first round warms up, and is left out
   * unless `rounds` is 0. Every other round runs the sides in reverse order, so that no side always
   * follows the same other side. `before` runs before every side and is not measured.
   */
  def measure(
      rounds: Int,
      before: () => Unit = () => ()
  )(sides: (() => Unit)*): Seq[Seq[Took]] =
    compare(rounds, before)(sides.map(side => () => took(side())): _*)

  /** As `measure`, with sides that know what they took: the work of another process, say. */
  def compare(
      rounds: Int,
      before: () => Unit = () => ()
  )(sides: (() => Took)*): Seq[Seq[Took]] = {
    val all = (0 to rounds).map { round =>
      val backwards = round % 2 == 1
      val run = (if (backwards) sides.reverse else sides).map { side =>
        before()
        side()
      }
      val times = if (backwards) run.reverse else run
      println(
        f"  round $round${if (round == 0) " (warm-up)" else ""}: " +
          times.map(t => f"${t.wall}%.3f s (cpu ${t.cpu}%.1f)").mkString(", ")
      )
      times
    }
    all.drop(rounds min 1).transpose
  }

  /** The time that `body` took. */
  def took(body: => Unit): Took = {
    val (start, cpu) = (System.nanoTime(), process.getProcessCpuTime)
    body
    Took((System.nanoTime() - start) / 1e9, (process.getProcessCpuTime - cpu) / 1e9)
  }

  /**
   * The ratios of a comparison, as text: of wall time, and of processor time, which varies less.
   */
  def ratios(sparks: Seq[Took], keyed: Seq[Took]): String = {
    def of(seconds: Took => Double) = {
      val (s, k) = (sparks.map(seconds), keyed.map(seconds))
      f"min ${k.min / s.min}%.3f, median ${median(k) / median(s)}%.3f, " +
        f"median of the pairs ${median(k.zip(s).map { case (k, s) => k / s })}%.3f"
    }
    s"wall ${of(_.wall)}; cpu ${of(_.cpu)}"
  }

  def median(values: Seq[Double]): Double = {
    val sorted = values.sorted
    (sorted((values.size - 1) / 2) + sorted(values.size / 2)) / 2
  }
}
