package tidegate
package snapshot

import org.scalatest.funsuite.AnyFunSuite

/** Which files of a state store hold a version. */
class StoreFilesSuite extends AnyFunSuite {

  private def files(names: String*): Seq[StoreFile] = names.map(StoreFile.of(_).get)

  private def of(version: Long)(names: String*): Option[Seq[String]] =
    StoreFiles.of(files(names: _*), version).map(_.map(_.name))

  test("names that Spark gives") {
    assert(StoreFile.of("12.delta") === Some(StoreFile("12.delta", 12, None, isWhole = false)))
    assert(StoreFile.of("3.snapshot") === Some(StoreFile("3.snapshot", 3, None, isWhole = true)))
    assert(
      StoreFile.of("7_a-b.changelog") ===
        Some(StoreFile("7_a-b.changelog", 7, Some("a-b"), isWhole = false))
    )
    Seq("_metadata", "3.delta.crc", "x.zip", "3.sst", "").foreach { name =>
      assert(StoreFile.of(name) === None)
    }
  }

  test("the last whole state, and what was changed since then") {
    assert(of(2)("1.delta", "2.delta", "3.delta") === Some(Seq("1.delta", "2.delta")))
    assert(
      of(5)("2.snapshot", "4.snapshot", "2.delta", "4.delta", "5.delta", "6.snapshot") ===
        Some(Seq("4.snapshot", "5.delta"))
    )
    assert(of(4)("4.zip", "4.changelog", "5.changelog") === Some(Seq("4.zip")))
    assert(
      of(6)("4.zip", "5.changelog", "6.changelog") === Some(
        Seq("4.zip", "5.changelog", "6.changelog")
      )
    )
  }

  test("a version of which a part is missing") {
    assert(of(3)("1.delta", "3.delta") === None)
    assert(of(4)("1.delta", "2.delta", "3.delta") === None)
    assert(of(5)("6.zip") === None)
    assert(of(2)("2.snapshot") === Some(Seq("2.snapshot")))
  }

  test("attempts that were not committed are left out") {
    val lineage = Map(
      "5_e.changelog" -> Seq(3L -> "c", 4L -> "d"),
      "5_x.changelog" -> Seq(3L -> "y", 4L -> "z"),
      "3_c.changelog" -> Seq(1L -> "a", 2L -> "b")
    ).withDefaultValue(Nil)
    def at(ids: Set[String])(names: String*) =
      StoreFiles.of(files(names: _*), 5, ids, f => lineage(f.name)).map(_.map(_.name))
    val changes = Seq("5_e", "5_x", "4_d", "4_z", "3_c", "3_y", "2_b", "1_a").map(_ + ".changelog")
    assert(
      at(Set("e"))(changes: _*) ===
        Some(Seq("1_a", "2_b", "3_c", "4_d", "5_e").map(_ + ".changelog"))
    )
    assert(
      at(Set("e"))(changes :+ "3_c.zip" :+ "4_z.zip": _*) ===
        Some(Seq("3_c.zip", "4_d.changelog", "5_e.changelog"))
    )
    assert(at(Set("e"))(changes.filterNot(_.startsWith("2")): _*) === None)
    assert(at(Set("other"))(changes: _*) === None)
    assert(at(Set("e"))("5_e.zip") === Some(Seq("5_e.zip")))
  }
}
