package tidegate.core.clock

import scala.util.Random

import org.json4s.JsonAST.JObject
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.policy.PolicySpec
import tidegate.core.window.WindowGrid

class ClockCodecSuite extends AnyFunSuite {

  private def state(operatorMs: Long, substreams: NodeState) = ClockState(
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

  private val origin =
    NodeOrigin(
      PolicySpec("limitingLagAndLull", Seq(5L, 60L)),
      Seq("topic STRING", "ä,\"b\" INT"),
      Seq(0, 2)
    )

  test("the watermarks of a batch that was left out are written and read") {
    val plain = state(12L, NodeState.empty)
    val written = plain.copy(skipped = Some(state(11L, NodeState.empty).times))
    assert(ClockCodec.read(ClockCodec.write(written)) === Right(written))
    assert(!ClockCodec.write(plain).contains("skipped"))
    val damaged =
      ClockCodec.write(written).replace("\"skipped\":{\"nodes\"", "\"skipped\":{\"node\"")
    assert(
      ClockCodec.read(damaged) === Left(
        ClockCodec.Damaged(None, "`skipped.nodes` is missing; it must be an object.")
      )
    )
  }

  test("what is written is read again") {
    val written = state(
      12L,
      NodeState(
        Seq(
          SavedSubstream("", Vector(), 0L),
          SavedSubstream("a/b", Vector(1L, -5L), 77L),
          SavedSubstream("ä", Vector(Long.MinValue), Long.MaxValue)
        ),
        Some(origin),
        Some(-3L)
      )
    )
    assert(ClockCodec.read(ClockCodec.write(written)) === Right(written))
    assert(ClockCodec.read(ClockCodec.write(ClockState.empty)) === Right(ClockState.empty))
  }

  test("the places of operators are written if there are any") {
    val places =
      Map("hourly" -> OperatorPlace("aggregate", 0L), "b" -> OperatorPlace("join", 1000L))
    val named = state(12L, NodeState.empty).copy(places = places)
    val text = ClockCodec.write(named)
    assert(
      text.endsWith(
        """"looks":2,"places":{"b":{"default":"join","state":1000},""" +
          """"hourly":{"default":"aggregate","state":0}}}"""
      )
    )
    assert(ClockCodec.read(text) === Right(named))
    assert(
      ClockCodec.read(text.replace("\"state\":0}", "\"state\":null}")) === Left(
        ClockCodec.Damaged(None, "`places.hourly.state` is null; it must be a whole number.")
      )
    )
  }

  test("fields come in an order of their own") {
    assert(
      ClockCodec.write(state(12L, NodeState(Nil, Some(origin), Some(7L)))) ===
        """{"tidegateClock":1,"savedAt":99,"nodes":{"new":{"key":0,"watermark":null,"idle":false,""" +
        """"substreams":0,"state":"eNpjAAAAAQAB"},"orders":{"key":5,"watermark":-7,"idle":true,""" +
        """"policy":{"name":"limitingLagAndLull","durations":[5,60]},""" +
        """"columns":["topic STRING","ä,\"b\" INT"],"sources":[0,2],"since":7,""" +
        """"substreams":0,"state":"eNpjAAAAAQAB"}},"operators":{"aggregate":{"key":5,""" +
        """"watermark":12,"eviction":12,"idle":false},"join.left":{"key":5,"watermark":null,""" +
        """"eviction":3,"idle":true}},"unions":{"aggregate":-9},"looks":2}"""
    )
  }

  test("an earlier format is made that of today, step by step, before it is read") {
    def renamed(from: String, to: String)(old: JObject) =
      JObject(old.obj.map { case (name, value) => (if (name == from) to else name) -> value })
    val upgrades = Seq(renamed("first", "second") _, renamed("second", "looks") _)
    val now = state(12L, NodeState.empty)
    def text(format: Int, looks: String) = ClockCodec
      .write(now)
      .replace("\"tidegateClock\":1", s"\"tidegateClock\":$format")
      .replace("\"looks\"", s"\"$looks\"")
    assert(ClockCodec.read(text(1, "first"), upgrades) === Right(now))
    assert(ClockCodec.read(text(2, "second"), upgrades) === Right(now))
    assert(ClockCodec.read(text(3, "looks"), upgrades) === Right(now))
    assert(ClockCodec.read(text(4, "looks"), upgrades) === Left(ClockCodec.Newer(4)))
    assert(
      ClockCodec.read(text(1, "second"), upgrades.drop(1)) === Right(now),
      "the first of two formats"
    )
    assert(ClockCodec.read(text(2, "first"), upgrades).isLeft, "not as format 2 is written")
  }

  test("the text of another source is foreign") {
    Seq("""{"logOffset":3}""", "17", "", "[]", """{"topic":{"0":5}""", "null").foreach { text =>
      assert(ClockCodec.read(text) === Left(ClockCodec.Foreign), text)
    }
  }

  private def withState(change: OperatorMark => OperatorMark) =
    withFrames.copy(operators = withFrames.operators.map { case (name, mark) =>
      name -> change(mark)
    })

  test("windows, windows that grow and sessions are read as they are written") {
    for {
      (state, written) <- Seq(
        withFrames -> """"windows":{"size":20,"slide":10,"offset":3}""",
        withState(mark => mark.copy(frames = mark.frames.map(_.copy(grows = true)))) ->
          """"windows":{"size":20,"slide":10,"offset":3,"grows":true}""",
        withState(_.copy(frames = None, gapMicros = Some(1500L))) -> """"gap":1500"""
      )
    } {
      val text = ClockCodec.write(state)
      assert(text.contains(written))
      assert(ClockCodec.read(text) === Right(state))
    }
  }

  test("a newer format is told from a foreign text") {
    assert(ClockCodec.read("""{"tidegateClock":2}""") === Left(ClockCodec.Newer(2)))
  }

  private val whole = ClockCodec.write(state(12L, NodeState(Nil, Some(origin), Some(7L))))

  test("every text that was changed is told, with the field, what was found and what is wanted") {
    def damaged(from: String, to: String): ClockCodec.Unreadable = {
      assert(whole.contains(from), from)
      ClockCodec.read(whole.replace(from, to)).swap.getOrElse(fail(s"read $to for $from"))
    }
    def of(node: String, what: String) = ClockCodec.Damaged(Some(node).filter(_.nonEmpty), what)
    val cut = of("", "The text is no JSON: it is cut off, or was changed.")
    assert(ClockCodec.read(whole.dropRight(1)) === Left(cut))
    assert(ClockCodec.read(whole.take(30)) === Left(cut))
    assert(
      damaged("\"tidegateClock\":1", "\"tidegateClock\":1000000000000") ===
        of("", "`tidegateClock` is 1000000000000; it must be a whole number from 1 to 999.")
    )
    assert(
      damaged("\"tidegateClock\":1", "\"tidegateClock\":\"1\"") ===
        of("", "`tidegateClock` is \"1\"; it must be a whole number from 1 to 999.")
    )
    assert(
      damaged("\"key\":5,\"watermark\":-7", "\"key\":300,\"watermark\":-7") ===
        of("orders", "`nodes.orders.key` is 300; it must be a whole number from 0 to 127.")
    )
    assert(
      damaged("\"key\":5,\"watermark\":-7", "\"watermark\":-7") ===
        of("orders", "`nodes.orders.key` is missing; it must be a whole number from 0 to 127.")
    )
    assert(
      damaged("\"watermark\":-7", "\"watermark\":1e30") ===
        of("orders", "`nodes.orders.watermark` is 1.0E30; it must be a whole number or null.")
    )
    assert(
      damaged("\"state\":\"eNpjAAAAAQAB\"}},", "\"state\":\"eNpjAAAAAQ\"}},") ===
        of(
          "orders",
          "`nodes.orders.state` is not readable (EOFException); it must be the text that Tidegate " +
            "wrote."
        )
    )
    assert(
      damaged("\"durations\":[5,60]", "\"durations\":[5]") ===
        of(
          "orders",
          "`nodes.orders.policy` is none: Argument durationsMs is a list of 1; it must be one of 2: " +
            "lag, maxLull; it must be a known policy."
        )
    )
    assert(
      damaged("\"looks\":2", "\"looks\":true") ===
        of("", "`looks` is true; it must be a whole number.")
    )
    assert(
      ClockCodec.read("""{"tidegateClock":1,"savedAt":1,"nodes":[]}""") ===
        Left(of("", "`nodes` is []; it must be an object."))
    )
  }

  private val withFrames = {
    val one = state(9L, NodeState(Seq(SavedSubstream("a", Vector(5L), 3L)), Some(origin)))
    val windows = OperatorMark(5, None, None, idle = false, Some(WindowGrid(10L, 3L, 20L)))
    one.copy(operators = one.operators + ("windows" -> windows))
  }

  test("property: no value that is put in the place of another ends in an exception") {
    val text = ClockCodec.write(withFrames)
    val values = Seq("null", "{}", "[]", "\"\"", "true", "-1", "1e400", "0.5", "1" * 2000) ++
      Seq("9223372036854775808", "\"\u0000\"", "[" * 5000, "[" * 900 + "]" * 900, "{\"a\":" * 900)
    // Where the value of a field or of a list begins and ends.
    val places =
      "(?<=[:\\[,])(-?\\d+|null|true|false|\"[^\"]*\"(?=[,}\\]]))".r.findAllMatchIn(text).toSeq
    assert(places.size > 30)
    for (place <- places; value <- values) {
      val changed = text.take(place.start) + value + text.drop(place.end)
      ClockCodec.read(changed) match {
        case Left(ClockCodec.Damaged(_, what)) => assert(what.endsWith("."), changed)
        case Left(ClockCodec.Foreign)          => fail(changed)
        case _                                 => ()
      }
    }
  }

  test("property: no change of a text is read in silence, none ends in an exception") {
    val random = new Random(5)
    val text = ClockCodec.write(withFrames)
    val expected = ClockCodec.read(text)
    (1 to 5000).foreach { _ =>
      val at = random.nextInt(text.length)
      val changed = random.nextInt(3) match {
        case 0 => text.take(at)
        case 1 => text.take(at) + text.drop(at + 1 + random.nextInt(20))
        case _ => text.updated(at, random.nextPrintableChar())
      }
      ClockCodec.read(changed) match {
        // A number or name may have become another one, as nobody signs the text.
        case Right(state)                      => assert(state.nodes.size <= 2)
        case Left(ClockCodec.Damaged(_, what)) => assert(what.endsWith("."), changed)
        case Left(ClockCodec.Newer(_))         => assert(changed != text)
        case Left(ClockCodec.Foreign)          => assert(!changed.contains("\"tidegateClock\""))
      }
    }
    assert(expected.isRight)
  }

  test("10,000 substreams take less than 100 kB, with the times of their silence") {
    val random = new Random(7)
    val now = 1700000000000L
    val many = NodeState(
      (0 until 10000)
        .map { i =>
          val activeAt = now - 1000L * random.nextInt(20)
          SavedSubstream(s"topic-${i % 7}/$i", Vector(now - random.nextInt(60000)), activeAt)
        }
        .sortBy(_.name)
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
            val values = Vector.fill(random.nextInt(4))(random.nextLong() >> random.nextInt(64))
            SavedSubstream(name, values, random.nextLong() >> random.nextInt(64))
          }
          .distinctBy(_.name)
          .sortBy(_.name)
      )
      assert(
        NodeStateCodec.read(NodeStateCodec.write(some.substreams)) === Right(some.substreams)
      )
    }
  }
}
