package tidegate.core.window

import scala.collection.mutable

import org.scalacheck.Prop.forAll
import org.scalacheck.{Gen, Properties}

/** A frame that moves over texts, against the texts themselves. */
object RowSlideProperties extends Properties("RowSlide") {

  /** Places of texts, which knows the ones that are in use. */
  private final class Texts extends Slots {
    val used: mutable.Map[Int, String] = mutable.Map.empty[Int, String]
    private var next = 0

    override def allocate(): Int = {
      next += 1
      used(next) = ""
      next
    }

    override def release(slot: Int): Unit = {
      require(used.remove(slot).isDefined, s"place $slot is not in use")
    }

    override def copy(from: Int, into: Int): Unit = used(into) = used(from)

    override def merge(earlier: Int, later: Int, into: Int): Unit =
      used(into) = used(earlier) + used(later)

    def text(slot: Int): String = if (slot == Slots.NoSlot) "" else used(slot)
  }

  private val steps =
    Gen.listOf(Gen.frequency(4 -> "add", 4 -> "enter", 3 -> "leave", 1 -> "expand"))

  property("slides") = forAll(steps)(check(_, keepsEntered = true))

  property("grows") =
    forAll(steps)(all => check(all.filter(Set("add", "enter")), keepsEntered = false))

  private def check(steps: List[String], keepsEntered: Boolean): Boolean = {
    val texts = new Texts
    val slide = new RowSlide(texts, keepsEntered)
    var (added, entered, left) = (0, 0, 0)
    // Each value has the names of as many parts as it can still be divided into.
    val names = mutable.ArrayBuffer.empty[String]
    val times = mutable.ArrayBuffer.empty[Long]
    def name(i: Int) = names(i)
    val isSame = steps.forall { step =>
      step match {
        case "add" =>
          val place = texts.allocate()
          names += s"<$added a><$added b><$added c>"
          texts.used(place) = name(added)
          slide.add(added.toLong, place)
          times += added.toLong
          added += 1
        case "enter" if entered < added =>
          slide.enter()
          entered += 1
        case "leave" if left < added =>
          slide.leave()
          left += 1
          entered = math.max(entered, left)
        case "expand" if left < entered =>
          val parts = name(left).split("(?<=>)")
          slide.expand(
            Array.fill(parts.length)(left.toLong),
            parts.map { part =>
              val place = texts.allocate()
              texts.used(place) = part
              place
            }
          )
          names.remove(left)
          names.insertAll(left, parts)
          times.remove(left)
          times.insertAll(left, Seq.fill(parts.length)(left.toLong))
          added += parts.length - 1
          entered += parts.length - 1
        case _ => ()
      }
      val kept = (if (keepsEntered) left else entered) until added
      texts.text(slide.earlier) + texts
        .text(slide.later) == (left until entered).map(name).mkString &&
      (0 until slide.size).map(i => texts.text(slide.value(i))) == kept.map(name) &&
      (0 until slide.size).map(slide.time) == kept.map(times)
    }
    slide.release()
    isSame && texts.used.isEmpty
  }
}
