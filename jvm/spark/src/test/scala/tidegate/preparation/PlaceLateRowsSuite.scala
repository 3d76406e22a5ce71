package tidegate
package preparation

import org.scalatest.funsuite.AnyFunSuite

class PlaceLateRowsSuite extends AnyFunSuite {

  test("the log says where late rows go") {
    assert(
      PlaceLateRows.line(
        Seq("aggregate", "join.left"),
        Some("late_orders"),
        "file:/w/late_orders"
      ) ===
        "Late rows of `aggregate`, `join.left` go to the table late_orders, the folder " +
        "file:/w/late_orders."
    )
    assert(
      PlaceLateRows.line(Seq("aggregate"), None, "./late") ===
        "Late rows of `aggregate` go to the folder ./late."
    )
  }
}
