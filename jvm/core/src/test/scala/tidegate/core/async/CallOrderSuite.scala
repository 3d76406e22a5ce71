package tidegate.core.async

import org.scalacheck.Gen
import tidegate.core.PropertySuite

class CallOrderSuite extends PropertySuite {

  test("in order, an answer waits for the rows before it") {
    val calls = new CallOrder[String](ordered = true, maxInFlight = 3)
    assert(Seq.fill(4)(calls.offer()) === Seq(Some(0L), Some(1L), Some(2L), None))
    assert(calls.answer(2, "c") === Nil)
    assert(calls.answer(1, "b") === Nil)
    assert(calls.inFlight === 3, "answers that wait for their turn keep their places")
    assert(calls.offer() === None)
    assert(calls.answer(0, "a") === Seq("a", "b", "c"))
    assert(calls.inFlight === 0)
    assert(calls.offer() === Some(3L))
  }

  test("out of order, an answer leaves at once") {
    val calls = new CallOrder[String](ordered = false, maxInFlight = 2)
    assert(Seq.fill(3)(calls.offer()) === Seq(Some(0L), Some(1L), None))
    assert(calls.answer(1, "b") === Seq("b"))
    assert(calls.offer() === Some(2L))
    assert(calls.answer(0, "a") === Seq("a"))
    assert(calls.inFlight === 1)
  }

  for (ordered <- Seq(true, false))
    test(s"a row is answered once, ordered = $ordered") {
      val calls = new CallOrder[String](ordered, maxInFlight = 2)
      def refusal(row: Long) = intercept[IllegalStateException](calls.answer(row, "x")).getMessage
      def sentence(row: Long) =
        s"Row $row got an answer, but waits for none; every row is answered once."
      assert(refusal(0) === sentence(0))
      calls.offer()
      calls.offer()
      calls.answer(1, "b")
      assert(refusal(1) === sentence(1))
      calls.answer(0, "a")
      assert(refusal(0) === sentence(0))
    }

  test("at least one row has to fit") {
    val error = intercept[IllegalArgumentException](new CallOrder[Int](ordered = true, 0))
    assert(error.getMessage === "Argument maxInFlight is 0; it must be at least 1.")
  }

  test("property: every row leaves once, in order or as it is answered, and the bound holds") {
    val runs = Gen.zip(
      Gen.oneOf(true, false),
      Gen.choose(1, 6),
      Gen.listOf(Gen.option(Gen.choose(0, 1000)))
    )
    forAll(runs) { case (ordered, maxInFlight, steps) =>
      val calls = new CallOrder[Long](ordered, maxInFlight)
      var (entered, waiting) = (Vector.empty[Long], Vector.empty[Long])
      var (answered, left) = (Vector.empty[Long], Vector.empty[Long])
      def reply(row: Long): Unit = {
        waiting = waiting.filterNot(_ == row)
        answered :+= row
        left ++= calls.answer(row, row)
        val expected = if (ordered) entered.takeWhile(answered.contains) else answered
        assertResult(expected)(left)
      }
      steps.foreach {
        case None =>
          val row = calls.offer()
          assertResult(entered.size - left.size < maxInFlight)(row.isDefined)
          entered ++= row
          waiting ++= row
        case Some(any) => if (waiting.nonEmpty) reply(waiting(any % waiting.size))
      }
      assertResult(entered.size - left.size)(calls.inFlight)
      waiting.reverse.foreach(reply)
      assertResult(0)(calls.inFlight)
    }
  }
}
