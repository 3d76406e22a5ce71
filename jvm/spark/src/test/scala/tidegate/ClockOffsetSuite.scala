package tidegate

import scala.util.Random

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite
import tidegate.clock.{ClockOffset, NodeMark, NodeState, OperatorMark}

class ClockOffsetSuite extends AnyFunSuite {

  private def offset(
      operatorMs: Long,
      state: NodeState = NodeState.empty,
      exact: Set[String] = Set.empty,
      passive: Boolean = false
  ) =
    new ClockOffset(
      Map(
        "orders" -> NodeMark(5, Some(-7L), idle = true),
        "new" -> NodeMark(0, None, idle = false)
      ),
      Map(
        "aggregate" -> OperatorMark(5, Some(operatorMs), Some(operatorMs), idle = false),
        "join.left" -> OperatorMark(5, None, Some(3L), idle = true)
      ),
      Map("union(orders, new)" -> -9L),
      Map("orders" -> state, "new" -> NodeState.empty),
      savedAtMs = 99L,
      exact,
      passive
    )

  test("what is written is read again") {
    val state =
      NodeState(Seq("" -> Vector(), "a/b" -> Vector(1L, -5L), "ä" -> Vector(Long.MinValue)))
    val read = ClockOffset.parse(offset(12L, state).json)
    assert(read.nodes === offset(12L).nodes)
    assert(read.operators === offset(12L).operators)
    assert(read.unions === Map("union(orders, new)" -> -9L))
    assert(read.states("orders") === state)
    assert(read.savedAtMs === 99L)
    assert(read.json === offset(12L, state).json)
  }

  test("offsets are equal if nothing in them can change a result") {
    val a = NodeState(Seq("a" -> Vector(1L)))
    assert(offset(1L) === offset(1L, a))
    assert(offset(1L) !== offset(2L))
    assert(offset(1L, exact = Set("orders")) !== offset(1L, a, exact = Set("orders")))
    assert(offset(1L, passive = true) === offset(2L))
    assert(offset(1L) === offset(2L, passive = true))
  }

  test("text of another source is refused with a sentence") {
    val error = intercept[AnalysisException](ClockOffset.parse("""{"logOffset":3}"""))
    assert(
      error.getMessage === "[TIDEGATE_FOREIGN_OFFSET] The checkpoint holds " +
        """'{"logOffset":3}' where the offset of the Tidegate clock is expected. The sources of """ +
        "the query have changed their order or were not the same when the checkpoint was made. " +
        "Start with a new checkpoint, or restore the order of the sources. SQLSTATE: KD000"
    )
    intercept[AnalysisException](ClockOffset.parse("17"))
    intercept[AnalysisException](ClockOffset.parse(""))
  }

  test("a newer format is refused with a sentence") {
    val error = intercept[AnalysisException](ClockOffset.parse("""{"tidegateClock":2}"""))
    assert(
      error.getMessage === "[TIDEGATE_NEWER_OFFSET] The checkpoint was written by a newer " +
        "Tidegate: its clock offset has format 2, and this version reads up to 1. Use the newer " +
        "version. SQLSTATE: KD000"
    )
  }

  test("10,000 substreams take less than 100 kB") {
    val random = new Random(7)
    val now = 1700000000000L
    val state = NodeState(
      (0 until 10000)
        .map { i =>
          f"topic-${i % 7}/$i%d" -> Vector(now - random.nextInt(60000))
        }
        .sortBy(_._1)
    )
    val text = offset(1L, state).json
    assert(text.length < 100000)
    assert(ClockOffset.parse(text).states("orders") === state)
  }

  test("property: every state survives the text") {
    val random = new Random(11)
    (1 to 200).foreach { _ =>
      val state = NodeState(
        Seq
          .fill(random.nextInt(20)) {
            val name = random.nextString(random.nextInt(6)).filterNot(_.isSurrogate)
            name -> Vector.fill(random.nextInt(4))(random.nextLong() >> random.nextInt(64))
          }
          .distinctBy(_._1)
          .sortBy(_._1)
      )
      assert(NodeState.decode(NodeState.encode(state)) === state)
    }
  }
}
