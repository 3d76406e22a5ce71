package tidegate.core.clock

import org.scalatest.funsuite.AnyFunSuite

class UnionKeysSuite extends AnyFunSuite {
  private val a = NodeTime("a")
  private val ab = CoalescedTime(Seq(a, NodeTime("b")))
  private val bc = CoalescedTime(Seq(NodeTime("b"), NodeTime("c")))
  private val nested = CoalescedTime(Seq(ab, NodeTime("c")))

  private def op(name: String, input: InputTime, eviction: InputTime*) =
    OperatorSpec(name, 0, input, eviction.headOption)

  private def keys(asked: InputTime*)(operators: OperatorSpec*) =
    new UnionKeys(QuerySpec(Nil, operators, asked))

  test("the name of the operator, numbered in the order of input and then eviction") {
    val of = keys()(
      op("aggregate", nested, ab),
      op("join.left", a, BehindTime(bc, 5L)),
      op("join.right", JoinTime(Seq(ab), Seq(bc, ab)), TightestTime(Seq(bc, nested)))
    )
    assert(
      of.write(Map(ab -> 1L, bc -> 2L, nested -> 3L)) === Map(
        "aggregate" -> 3L,
        "aggregate#2" -> 1L,
        "join.left" -> 2L,
        "join.right" -> 1L,
        "join.right#2" -> 2L,
        "join.right#3" -> 3L
      )
    )
  }

  test("what functions ask for is under the names of its nodes") {
    val other = CoalescedTime(Seq(GridTime(ab, tidegate.core.window.WindowGrid(1, 0, 1)), a))
    val of = keys(nested, bc, other)(op("aggregate", ab))
    assert(
      of.write(Map(ab -> 1L, bc -> 2L, nested -> 3L, other -> 4L)) === Map(
        "aggregate" -> 1L,
        "function(a, b)" -> 1L,
        "function(a, b)#2" -> 4L,
        "function(a, b, c)" -> 3L,
        "function(b, c)" -> 2L
      )
    )
  }

  test("what is written is read again, and a union without a value has none") {
    val of = keys(ab)(op("aggregate", nested, bc))
    assert(of.read(of.write(Map(ab -> 1L, nested -> 3L))) === Map(ab -> 1L, nested -> 3L))
    assert(of.read(Map.empty) === Map.empty)
  }

  test("an operator keeps its value when its union has one branch more") {
    val before = keys()(op("aggregate", ab)).write(Map(ab -> 7L))
    assert(keys()(op("aggregate", nested)).read(before) === Map(nested -> 7L))
  }
}
