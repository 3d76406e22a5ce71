package tidegate
package golden

import org.scalatest.funsuite.AnyFunSuite
import tidegate.own.StateMark
import tidegate.own.order.WrittenPages

/** The state of event-time order, for fixed rows: its schema, and the bytes of pages and heads. */
class OrderFormatSuite extends AnyFunSuite {

  test("the state of event-time order is written as its format number says") {
    PinnedFormat(
      "order",
      StateMark.Format,
      "the state of event-time order",
      "StateMark.Format",
      "EventTimeOrderExec"
    ).check(WrittenPages.text)
  }
}
