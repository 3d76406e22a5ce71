package tidegate.core.clock

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.window.WindowGrid

class ClockCodecSuite extends AnyFunSuite {

  private def state(operatorMs: Long, substreams: NodeState = NodeState.empty) = ClockState(
    Map("orders" -> NodeMark(5, Some(-7L), idle = true), "new" -> NodeMark(0, None, idle = false)),
    Map("orders" -> substreams, "new" -> NodeState.empty),
    Map(
      "aggregate" -> OperatorMark(5, Some(operatorMs), Some(operatorMs), idle = false),
      "join.left" -> OperatorMark(5, None, Some(3L), idle = true)
    ),
    Map("aggregate" -> -9L),
    looks = 2L,
    savedAtMs = 99L
  )

  test("what is written is read again") {
    val written =
      state(
        12L,
        NodeState(Seq("" -> Vector(), "a/b" -> Vector(1L, -5L), "ä" -> Vector(Long.MinValue)))
      )
    assert(ClockCodec.read(ClockCodec.write(written)) === Right(written))
    assert(ClockCodec.read(ClockCodec.write(ClockState.empty)) === Right(ClockState.empty))
  }

  test("fields come in an order of their own") {
    assert(
      ClockCodec.write(state(12L)) ===
        """{"tidegateClock":1,"savedAt":99,"nodes":{"new":{"key":0,"watermark":null,"idle":false,""" +
        """"substreams":0,"state":"eNpjAAAAAQAB"},"orders":{"key":5,"watermark":-7,"idle":true,""" +
        """"substreams":0,"state":"eNpjAAAAAQAB"}},"operators":{"aggregate":{"key":5,""" +
        """"watermark":12,"eviction":12,"idle":false},"join.left":{"key":5,"watermark":null,""" +
        """"eviction":3,"idle":true}},"unions":{"aggregate":-9},"looks":2}"""
    )
  }

  // Two checkpoints that version 0.1.0 wrote: windows from frames over a union, and a union in a
  // union in a run that ends with the end of time.
  private val framesOf010 =
    """{"tidegateClock":1,"savedAt":1795395483468,"nodes":{"new":{"key":0,"watermark":390""" +
      """00,"idle":false,"substreams":2,"state":"eNpjYWCqYJrgx8BRGaNfxbRgMgsAHlkEHg=="},"or""" +
      """ders":{"key":0,"watermark":31000,"idle":false,"substreams":2,"state":"eNpjYWBKZJqw""" +
      """h42BKYnp/nUmABe+A9o="}},"operators":{"aggregate":{"key":0,"watermark":31000,"evict""" +
      """ion":31000,"idle":false,"frames":{"size":10000,"slide":5000,"offset":0}}},"unions"""" +
      """:{"union(orders, new)":31000},"looks":0}"""

  private val unionsOf010 =
    """{"tidegateClock":1,"savedAt":1795395494134,"nodes":{"new":{"key":0,"watermark":390""" +
      """00,"idle":false,"substreams":2,"state":"eNpjYWCqYJrgx8BRGaNfxbRgMgsAHlkEHg=="},"or""" +
      """ders":{"key":0,"watermark":31000,"idle":false,"substreams":2,"state":"eNpjYWBKZJqw""" +
      """h42BKYnp/nUmABe+A9o="},"third":{"key":0,"watermark":39000,"idle":false,"substreams""" +
      """":2,"state":"eNpjYWCqYJrgx8BRGaNfxbRgMgsAHlkEHg=="}},"operators":{"aggregate":{"ke""" +
      """y":0,"watermark":31000,"eviction":31000,"idle":false},"deduplicate":{"key":0,"wate""" +
      """rmark":31000,"eviction":31000,"idle":false}},"unions":{"union(orders, new)":31000,""" +
      """"union(union(orders, new), third)":31000},"looks":3}"""

  private val ofOrders = NodeState(Seq("a" -> Vector(53000L), "b" -> Vector(31000L)))
  private val ofNew = NodeState(Seq("x" -> Vector(5000L), "y\\/z" -> Vector(39000L)))
  private val mark = OperatorMark(0, Some(31000L), Some(31000L), idle = false)

  test("the text of version 0.1.0 is read, and written as it was") {
    val read = ClockCodec.read(framesOf010)
    assert(
      read === Right(
        ClockState(
          Map(
            "orders" -> NodeMark(0, Some(31000L), idle = false),
            "new" -> NodeMark(0, Some(39000L), idle = false)
          ),
          Map("orders" -> ofOrders, "new" -> ofNew),
          Map("aggregate" -> mark.copy(frames = Some(WindowGrid(5000L, 0L, 10000L)))),
          Map("union(orders, new)" -> 31000L),
          looks = 0L,
          savedAtMs = 1795395483468L
        )
      )
    )
    assert(read.map(ClockCodec.write) === Right(framesOf010))
    val other = ClockCodec.read(unionsOf010)
    assert(other.map(_.looks) === Right(3L))
    assert(other.map(_.operators) === Right(Map("aggregate" -> mark, "deduplicate" -> mark)))
    assert(other.map(_.substreams("third")) === Right(ofNew))
    assert(other.map(ClockCodec.write) === Right(unionsOf010))
  }

  test("the text of another source is foreign, and so is one that is broken inside") {
    Seq(
      """{"logOffset":3}""",
      "17",
      "",
      "[]",
      """{"tidegateClock":"1"}""",
      """{"tidegateClock":0}""",
      """{"tidegateClock":1,"nodes":{"orders":{}}}""",
      framesOf010.replace("eNpjYW", "eNpjYX")
    ).foreach(text => assert(ClockCodec.read(text) === Left(ClockCodec.Foreign), text))
  }

  test("a newer format is told from a foreign text") {
    assert(ClockCodec.read("""{"tidegateClock":2}""") === Left(ClockCodec.Newer(2)))
  }

  test("10,000 substreams take less than 100 kB") {
    val random = new Random(7)
    val now = 1700000000000L
    val many = NodeState(
      (0 until 10000)
        .map(i => s"topic-${i % 7}/$i" -> Vector(now - random.nextInt(60000)))
        .sortBy(_._1)
    )
    val text = ClockCodec.write(state(1L, many))
    assert(text.length < 100000)
    assert(ClockCodec.read(text).map(_.substreams("orders")) === Right(many))
  }

  test("property: every state of substreams survives the text") {
    val random = new Random(11)
    (1 to 200).foreach { _ =>
      val some = NodeState(
        Seq
          .fill(random.nextInt(20)) {
            val name = random.nextString(random.nextInt(6)).filterNot(_.isSurrogate)
            name -> Vector.fill(random.nextInt(4))(random.nextLong() >> random.nextInt(64))
          }
          .distinctBy(_._1)
          .sortBy(_._1)
      )
      assert(NodeStateCodec.read(NodeStateCodec.write(some)) === some)
    }
  }
}
