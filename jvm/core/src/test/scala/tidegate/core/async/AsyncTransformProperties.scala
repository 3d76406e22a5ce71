package tidegate.core.async

import org.scalacheck.Gen
import tidegate.core.{PropertySuite, Watermark}

class AsyncTransformProperties extends PropertySuite {
  import AsyncTransformProperties._

  private val keys = Seq[Byte](0, 1, 127)

  /** Times mostly rise, but not always. */
  private def genStep(index: Int): Gen[Step] = Gen.frequency(
    6 -> Gen.const(Enter),
    3 -> Gen.zip(Gen.oneOf(keys), Gen.choose(index - 5L, index + 5L)).map { case (key, ms) =>
      Observe(key, ms)
    },
    1 -> Gen.const(Quieten),
    6 -> Gen.choose(0, 1000).map(Reply)
  )

  private val runs = for {
    ordered <- Gen.oneOf(true, false)
    maxInFlight <- Gen.choose(1, 6)
    length <- Gen.choose(0, 60)
    steps <- Gen.sequence[List[Step], Step](List.tabulate(length)(genStep))
  } yield Run(ordered, maxInFlight, steps)

  test("every step does what recomputing over all that entered says") {
    forAll(runs) { run =>
      val model = new AsyncTransformModel(run.ordered, run.maxInFlight)
      val calls = AsyncTransform[Long](run.ordered, run.maxInFlight)
      run.steps.foreach { step =>
        step match {
          case Enter            => assertResult(model.offer())(calls.offer())
          case Observe(key, ms) =>
            assertResult(model.observe(key, ms))(calls.observeWatermark(key, ms))
          case Quieten                           => assertResult(model.idle())(calls.observeIdle())
          case Reply(_) if model.waiting.isEmpty => ()
          case Reply(any)                        =>
            val row = model.waiting(any % model.waiting.size)
            assertResult(model.answer(row), s"after $step")(calls.answer(row, row))
        }
        assertResult(model.inFlight.size)(calls.inFlight)
        keys.foreach(key => assertResult(model.inFlight(key))(calls.inFlight(key)))
      }
    }
  }

  test("no watermark leaves before a row that entered before it; all leave once all is answered") {
    forAll(runs) { run =>
      val calls = AsyncTransform[Long](run.ordered, run.maxInFlight)
      var before = Map.empty[Watermark, Set[Long]]
      var entered = Set.empty[Long]
      var waiting = Vector.empty[Long]
      var left = Set.empty[Long]
      var reached = Map.empty[Byte, Long]
      def leave(out: Seq[AsyncOutput[Long]]): Unit = out.foreach {
        case Answer(row, _)                 => left += row
        case Passed(w @ Watermark(key, ms)) =>
          assert(before(w).subsetOf(left))
          assert(reached.get(key).forall(_ < ms))
          reached += key -> ms
        case Passed(_) => ()
      }
      def reply(row: Long): Unit = {
        waiting = waiting.filterNot(_ == row)
        leave(calls.answer(row, row))
      }
      run.steps.foreach {
        case Enter =>
          calls.offer().foreach { row =>
            entered += row
            waiting :+= row
          }
        case Observe(key, ms) =>
          before = before.updatedWith(Watermark(key, ms))(_.orElse(Some(entered)))
          leave(calls.observeWatermark(key, ms))
        case Quieten    => leave(calls.observeIdle())
        case Reply(any) => if (waiting.nonEmpty) reply(waiting(any % waiting.size))
      }
      waiting.reverse.foreach(reply)
      assertResult(entered)(left)
      before.keys.groupMapReduce(_.key)(_.timestampMs)(math.max(_, _)).foreach { case (key, ms) =>
        assertResult(ms)(reached(key))
      }
      assertResult(0)(calls.inFlight)
    }
  }
}

private object AsyncTransformProperties {
  sealed trait Step
  case object Enter extends Step
  final case class Observe(key: Byte, ms: Long) extends Step
  case object Quieten extends Step
  final case class Reply(any: Int) extends Step

  final case class Run(ordered: Boolean, maxInFlight: Int, steps: List[Step])
}
