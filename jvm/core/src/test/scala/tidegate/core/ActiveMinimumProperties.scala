package tidegate.core

import scala.collection.mutable
import scala.util.Random

/** The minimum over inputs that come and go, against one that looks at all of them each time. */
class ActiveMinimumProperties extends PropertySuite {

  private final class Model {
    private val inputs = mutable.SortedMap.empty[Int, (Option[Long], Boolean)]
    private var top = Option.empty[Long]

    def numbers: Seq[Int] = inputs.keys.toSeq
    def watermark(input: Int): Option[Long] = inputs(input)._1
    def isActive(input: Int): Boolean = inputs(input)._2

    def add(input: Int): Unit = inputs(input) = (None, true)
    def remove(input: Int): Unit = { val _ = inputs.remove(input) }
    def set(input: Int, isActive: Boolean): Unit = inputs(input) = (watermark(input), isActive)
    def observe(input: Int, ms: Long): Unit = {
      inputs(input) = (Some(ms), isActive(input))
      top = (top ++ Some(ms)).maxOption
    }

    private def active = inputs.toSeq.collect { case (input, (watermark, true)) =>
      input -> watermark
    }

    def value: Option[Long] = if (active.isEmpty) top else active.map(_._2).min

    def decidedBy: Option[Int] = active.minByOption(_._2).map(_._1)
  }

  test("property: the lowest of the active inputs decides; without one, the highest value seen") {
    forAll { (seed: Long) =>
      val random = new Random(seed)
      val (minimum, model) = (new ActiveMinimum, new Model)
      (1 to 60).foreach { step =>
        val input = Option.when(model.numbers.nonEmpty) {
          model.numbers(random.nextInt(model.numbers.size))
        }
        (random.nextInt(10), input) match {
          case (0, _) | (_, None) => model.add(minimum.add())
          case (1, Some(i))       => minimum.remove(i); model.remove(i)
          case (2 | 3, Some(i))   => minimum.deactivate(i); model.set(i, isActive = false)
          case (4, Some(i))       => minimum.activate(i); model.set(i, isActive = true)
          case (_, Some(i))       =>
            val ms = model.watermark(i).getOrElse(step * 3L - 40) + random.nextInt(50)
            minimum.observe(i, ms)
            model.observe(i, ms)
        }
        assertResult(model.value, s"step $step")(NoWatermark.toOption(minimum.value))
        model.numbers.foreach { i =>
          assertResult(model.watermark(i))(NoWatermark.toOption(minimum.watermark(i)))
          assertResult(model.isActive(i))(minimum.isActive(i))
        }
        assertResult(model.decidedBy.isEmpty)(minimum.isIdle)
        if (!minimum.isIdle) assertResult(model.decidedBy, s"step $step")(minimum.decidedBy)
        else minimum.decidedBy.foreach(i => assertResult(minimum.top)(minimum.watermark(i)))
      }
    }
  }

  test("the highest Long is an ordinary watermark, and no input that is left out") {
    val minimum = new ActiveMinimum
    (1 to 3).foreach(_ => minimum.add())
    minimum.deactivate(0)
    minimum.observe(1, Long.MaxValue)
    minimum.observe(2, Long.MaxValue)
    assertResult(Some(1))(minimum.decidedBy)
    minimum.remove(1)
    assertResult(Some(2))(minimum.decidedBy)
    assertResult(Long.MaxValue)(minimum.value)
  }

  test("the number of an input that was removed is given again, and nothing else of it") {
    val minimum = new ActiveMinimum
    assertResult(Seq(0, 1, 2))(Seq.fill(3)(minimum.add()))
    Seq(5L, 9L, 7L).zipWithIndex.foreach { case (ms, input) => minimum.observe(input, ms) }
    minimum.remove(1)
    minimum.deactivate(0)
    minimum.deactivate(2)
    assertResult((9L, None))((minimum.value, minimum.decidedBy))
    assertResult(1)(minimum.add())
    assertResult((NoWatermark.Ms, Some(1)))((minimum.value, minimum.decidedBy))
    minimum.observe(1, 3)
    assertResult(3L)(minimum.value)
  }

  test("without any input there is no watermark") {
    val minimum = new ActiveMinimum
    assertResult((NoWatermark.Ms, None))((minimum.value, minimum.decidedBy))
    assert(minimum.isIdle)
  }
}
