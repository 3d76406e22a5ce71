package tidegate
package golden

import java.sql.Timestamp

/**
 * What both streams bring at one moment.
 *
 * @param waited
 *   how many seconds of the wall clock have passed since the step before
 */
final case class GoldenStep(waited: Int, left: Seq[Event], right: Seq[Event])

/**
 * The input of all golden queries. Where they stop, the substream `b` holds time back, `c` is idle,
 * and every operator has rows in its state. The rest has a late row, the return of `c` and
 * duplicates of rows from before. It must not be changed: the checkpoints know where they are in
 * it.
 */
object GoldenInput {

  private def step(waited: Int)(left: String)(right: String): GoldenStep =
    GoldenStep(waited, events(left), events(right))

  /** Of `a3#7`: substream `a`, second 3, number 7. */
  private def events(text: String): Seq[Event] = text.split(' ').toSeq.map {
    case Written(sub, second, n) => Event(sub, new Timestamp(second.toLong * 1000), n.toInt)
    case other                   => throw new IllegalArgumentException(other)
  }

  private val Written = "([a-z])(\\d+)#(\\d+)".r

  val before: Seq[GoldenStep] = Seq(
    step(0)("a3#1 b2#2 c5#3 a3#1")("a4#1 b3#2 c5#93"),
    step(40)("a22#4 b11#5 a13#6")("a23#4 b12#95"),
    step(40)("a31#7 b14#8 a24#9")("a25#9 b15#8"),
    step(1)("a35#10 b16#11 a22#4")("a36#97 b17#98")
  )

  val after: Seq[GoldenStep] = Seq(
    step(1)("a40#12 b27#13 a4#14 b16#11")("a36#10 b29#13 a5#14"),
    step(1)("c30#15 a55#16 b52#17")("c31#15 a60#16 b58#96"),
    step(1)("a200#18 b200#19 c200#20")("a200#18 b201#19 c202#20"),
    step(1)("a999#21 b999#22 c999#23")("a999#24 b999#25 c999#26")
  )
}
