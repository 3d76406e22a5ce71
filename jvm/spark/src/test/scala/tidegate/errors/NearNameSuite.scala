package tidegate
package errors

import org.scalatest.funsuite.AnyFunSuite

class NearNameSuite extends AnyFunSuite {
  private val known = Seq("TUMBLE", "HOP", "IMPOSE_ORDER")

  Seq(
    "TUMBEL" -> Some("TUMBLE"),
    "tumbl" -> Some("TUMBLE"),
    "Tumbles" -> Some("TUMBLE"),
    "tumble" -> Some("TUMBLE"),
    "imposeorder" -> Some("IMPOSE_ORDER"),
    "impose_ordr" -> Some("IMPOSE_ORDER"),
    "HPO" -> Some("HOP"),
    "hopp" -> Some("HOP"),
    "hoops" -> None,
    "stumbled" -> Some("TUMBLE"),
    "fumbling" -> None,
    "explode" -> None,
    "" -> None,
    "x" * 100000 -> None
  ).foreach { case (found, near) =>
    test(s"${found.take(20)} is near to ${near.getOrElse("nothing")}") {
      assert(NearName.of(found, known) === near)
    }
  }
}
