package tidegate.execution

import org.scalatest.funsuite.AnyFunSuite

class LogTextSuite extends AnyFunSuite {

  /** Takes two chars. */
  private val Smile = "\uD83D\uDE00"

  test("a text is cut behind its last character that fits") {
    assert(LogText.cut("abc", 3) === "abc")
    assert(LogText.cut("abcd", 3) === "abc...")
    assert(LogText.cut("abcd", 0) === "...")
    assert(LogText.cut("", 0) === "")
  }

  test("a character of two chars is never cut in two") {
    assert(LogText.cut(s"ab$Smile", 4) === s"ab$Smile")
    assert(LogText.cut(s"ab${Smile}c", 4) === s"ab$Smile...")
    assert(LogText.cut(s"ab${Smile}c", 3) === "ab...")
    assert(LogText.cut(Smile + Smile, 1) === "...")
    (0 to 20).foreach { max =>
      val text = LogText.cut(Smile * 10, max).stripSuffix("...")
      assert(text === Smile * (max / 2))
    }
  }

  test("what would end a line is written as an escape") {
    assert(LogText.inOneLine("a, b=c") === "a, b=c")
    assert(LogText.inOneLine("a\nb\rc\td") === "a\\nb\\rc\\td")
    assert(LogText.inOneLine("\u001b[31m\u2028\u2029\u0000") === "\\u001b[31m\\u2028\\u2029\\u0000")
    assert(LogText.inOneLine(s"ä$Smile") === s"ä$Smile")
  }
}
