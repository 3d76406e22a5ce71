package tidegate.core

import org.scalacheck.Gen
import tidegate.core.CoalescerOracle._
import tidegate.core.KeyedWatermarkCoalescerProperties.Run

class KeyedWatermarkCoalescerProperties extends PropertySuite {

  private val keys = Seq[Byte](0, 1, 42, 127)

  /** Times mostly rise along a run, but not always: refusals are a part of it. */
  private def genOperation(inputCount: Int, doneWeight: Int)(index: Int): Gen[Operation] = {
    val input = Gen.choose(0, inputCount - 1)
    val watermark = for {
      of <- input
      key <- Gen.oneOf(keys)
      at <- Gen.frequency(
        30 -> Gen.choose(index * 3L - 20, index * 3L + 20),
        1 -> Gen.oneOf(Long.MinValue + 1, -1L, Long.MaxValue - 1, Long.MaxValue)
      )
    } yield Send(of, key, at)
    Gen.frequency(
      12 -> watermark,
      2 -> input.map(SendEvent),
      4 -> input.map(SendIdle),
      doneWeight -> input.map(SendDone)
    )
  }

  private def genRun(doneWeight: Int): Gen[Run] = for {
    inputCount <- Gen.choose(1, 9)
    length <- Gen.choose(0, 80)
    operations <- sequence(List.tabulate(length)(genOperation(inputCount, doneWeight)))
  } yield Run(inputCount, operations)

  private def sequence[A](gens: List[Gen[A]]): Gen[List[A]] =
    gens.foldRight(Gen.const(List.empty[A])) { (gen, rest) =>
      gen.flatMap(head => rest.map(head :: _))
    }

  private val runs = Gen.oneOf(genRun(doneWeight = 0), genRun(doneWeight = 1))

  private def outcomes(inputCount: Int, operations: Seq[Operation]): Seq[Outcome] = {
    val coalescer = new KeyedWatermarkCoalescer(inputCount)
    operations.map(perform(coalescer, _))
  }

  test("every call, a refused one too, does what recomputing over all inputs says") {
    forAll(runs) { run =>
      val oracle = new CoalescerOracle(run.inputCount)
      val coalescer = new KeyedWatermarkCoalescer(run.inputCount)
      run.operations.foreach { operation =>
        assertResult(oracle(operation), s"after $operation")(perform(coalescer, operation))
        keys.foreach { key =>
          assertResult(oracle.coalesced(key))(coalescer.coalesced(key))
          assertResult(oracle.topObserved(key))(coalescer.topObserved(key))
        }
        assertResult(oracle.isIdle)(coalescer.isIdle)
      }
    }
  }

  test("the watermarks forwarded for one key strictly increase") {
    forAll(runs) { run =>
      val forwarded = outcomes(run.inputCount, run.operations).collect { case Forwarded(signals) =>
        signals.collect { case watermark: Watermark => watermark }
      }.flatten
      forwarded.groupBy(_.key).values.foreach { ofKey =>
        val times = ofKey.map(_.timestampMs)
        assertResult(times.distinct.sorted)(times)
      }
    }
  }

  test("one call forwards keys in ascending order, at most once each, and Idle last") {
    forAll(runs) { run =>
      outcomes(run.inputCount, run.operations).foreach {
        case Forwarded(signals) =>
          val order = signals.map {
            case Watermark(key, _) => key.toInt
            case Idle              => 128
          }
          assertResult(order.distinct.sorted)(order)
        case _ =>
      }
    }
  }

  test("the order of the inputs does not matter") {
    forAll(runs, Gen.long) { (run, seed) =>
      val renumbered = new scala.util.Random(seed).shuffle((0 until run.inputCount).toList)
      val elsewhere = run.operations.map {
        case Send(input, key, timestampMs) => Send(renumbered(input), key, timestampMs)
        case SendEvent(input)              => SendEvent(renumbered(input))
        case SendIdle(input)               => SendIdle(renumbered(input))
        case SendDone(input)               => SendDone(renumbered(input))
      }
      assertResult(outcomes(run.inputCount, run.operations))(outcomes(run.inputCount, elsewhere))
    }
  }

  test("inputs that are idle hold nothing back: the rest behaves as if they were not there") {
    forAll(runs, Gen.choose(1, 5)) { (run, idleCount) =>
      val coalescer = new KeyedWatermarkCoalescer(run.inputCount + idleCount)
      (0 until idleCount).foreach(extra => coalescer.observeIdle(run.inputCount + extra))
      val withIdle = run.operations.map(perform(coalescer, _))
      assertResult(outcomes(run.inputCount, run.operations))(withIdle)
    }
  }

  test("one key behaves as if the others were not there, as long as no refusal is mixed in") {
    forAll(runs) { run =>
      val accepted = run.operations.zip(outcomes(run.inputCount, run.operations)).collect {
        case (operation, _: Forwarded) => operation
      }
      val coalescer = new KeyedWatermarkCoalescer(run.inputCount)
      val ofFirst = accepted.flatMap {
        case Send(input, key, _) if key != keys.head => perform(coalescer, SendEvent(input)) :: Nil
        case operation                               => perform(coalescer, operation) :: Nil
      }
      def firstKey(outcomes: Seq[Outcome]) = outcomes.collect { case Forwarded(signals) =>
        signals.collect { case Watermark(key, timestampMs) if key == keys.head => timestampMs }
      }
      assertResult(firstKey(outcomes(run.inputCount, accepted)))(firstKey(ofFirst))
    }
  }
}

private object KeyedWatermarkCoalescerProperties {

  final case class Run(inputCount: Int, operations: List[Operation])
}
