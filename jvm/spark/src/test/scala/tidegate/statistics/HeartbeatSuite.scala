package tidegate.statistics

import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import scala.collection.mutable
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import org.apache.spark.sql.tidegate.{LogLine, TestTask}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.AccumulatorV2
import org.scalatest.funsuite.AnyFunSuite

/** A heartbeat reads the accumulators of a task in another thread, at any time. */
final class HeartbeatSuite extends AnyFunSuite {
  private val kinds = Seq[(String, () => AccumulatorV2[_, _])](
    "late rows" -> (() => new LateRows),
    "substreams" -> (() => new SubstreamStats(Long.MaxValue))
  )

  for ((name, make) <- kinds) {
    test(s"$name: a heartbeat before the fields are read") {
      val asked = mutable.Buffer.empty[Boolean]
      val task = new TestTask(a => asked += a.isZero)
      task.receive[AnyRef](TestTask.sent(make()))
      assert(asked === Seq(true))
    }

    test(s"$name: heartbeats beside a thread that deserializes") {
      val accumulator = make()
      val sent = TestTask.sent(accumulator)
      val current = new AtomicReference(new TestTask)
      whileRunning(current.get.heartbeat()) {
        (1 to 5000).foreach { _ =>
          val task = new TestTask
          current.set(task)
          task.receive[AnyRef](sent)
        }
      }
    }

    test(s"$name: nothing is sent with heartbeats") {
      val task = new TestTask
      val inTask = task.receive[AnyRef](TestTask.sent(make()))
      touch(inTask)
      assert(task.heartbeat().isEmpty)
    }
  }

  test("late rows: counted in one thread and serialized in another") {
    val onDriver = new LateRows
    val inTask = new TestTask().receive[LateRows](TestTask.sent(onDriver))
    val pass = inTask.begin(partition = 0)
    var last = 0L
    whileRunning {
      val seen = TestTask.read[LateRows](TestTask.written(inTask))
      assert(seen.value >= last)
      assert(seen.samples.size === math.min(seen.value, LateRows.MaxSamples.toLong))
      last = seen.value
    }((1 to 200000).foreach(i => pass.drop(LogLine(s"row $i"))))
    assert(inTask.value === 200000)
    assert(inTask.samples.map(_.text) === Seq("row 1", "row 2", "row 3"))
  }

  test("substreams: observed in one thread and serialized in another") {
    val onDriver = new SubstreamStats(futureBoundMicros = 1000000L)
    val inTask = new TestTask().receive[SubstreamStats](TestTask.sent(onDriver))
    var last = Map.empty[String, Long]
    whileRunning {
      val seen = TestTask.read[SubstreamStats](TestTask.written(inTask)).value
      last.foreach { case (name, micros) => assert(seen(name) >= micros, name) }
      seen.foreach { case (name, micros) => assert(micros % 100 === number(name), name) }
      last = seen
    } {
      for (round <- 0 until 1000; n <- 0 until 100) {
        val time = round * 100L + n
        val root = inTask.root
        val substream = n % 3 match {
          case 0 => root.of(n.toLong)
          case 1 => root.of(UTF8String.fromString(s"text-$n"))
          case 2 => root.ofNull().of(n.toLong)
        }
        inTask.observe(substream, time, 0)
        inTask.observe(substream, 2000000L, 0)
      }
    }
    assert(inTask.value.size === 100)
    assert(inTask.futureEvents === 100000)
  }

  private def touch(inTask: AnyRef): Unit = inTask match {
    case late: LateRows        => late.add(0 -> LogLine("a row"))
    case stats: SubstreamStats => stats.add(1L)
    case other                 => fail(s"$other is not counted in")
  }

  /** The number at the end of the name of a substream. */
  private def number(name: String): Long = name.reverse.takeWhile(_.isDigit).reverse.toLong

  /** Runs `watch` again and again, in a thread of its own, until `body` has ended. */
  private def whileRunning(watch: => Unit)(body: => Unit): Unit = {
    import scala.concurrent.ExecutionContext.Implicits.global
    val isDone = new AtomicBoolean
    val watching = Future {
      watch
      while (!isDone.get) watch
    }
    try body
    finally isDone.set(true)
    Await.result(watching, 1.minute)
  }
}
