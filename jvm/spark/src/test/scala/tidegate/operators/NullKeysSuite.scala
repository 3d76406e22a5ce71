package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}

/** Joins of rows with NULLs in their keys, as in batch: NULL equals nothing, not even NULL. */
class NullKeysSuite extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "on NULLs, format",
    "on NULLs, interval join on HDFSBacked",
    "joins on two keys",
    "a computed key"
  )

  /** The tens of `n` are the key `id`, the rest is the key `part`; 0 is NULL. */
  private def withKeys(events: DataFrame, time: String): DataFrame = events.select(
    expr("nullif(n div 10, 0)").as("id"),
    expr("nullif(n % 10, 0)").as("part"),
    col("time").as(time),
    col("sub")
  )

  private lazy val sent = files(
    Seq(event("a", 5, 11), event("a", 6, 1), event("b", 5, 10), event("b", 6, 0)),
    Seq(event("a", 30, 1), event("b", 30, 22), event("b", 31, 20), event("b", 31, 0)),
    Seq(event("a", 60, 0), event("a", 60, 10), event("b", 60, 33), event("b", 61, 3)),
    Seq(event("a", 99999, 99), event("b", 99999, 99))
  )

  private lazy val received = files(
    Seq(event("a", 7, 11), event("a", 7, 0), event("b", 7, 1)),
    Seq(event("a", 8, 10), event("b", 31, 22), event("b", 32, 1), event("b", 32, 0)),
    Seq(event("a", 33, 20), event("a", 33, 1), event("b", 61, 0), event("b", 62, 33)),
    Seq(event("a", 63, 10), event("b", 64, 3)),
    Seq(event("a", 99999, 98), event("b", 99999, 98))
  )

  private def joined(how: String, condition: (DataFrame, DataFrame) => Column)(
      read: Path => DataFrame
  ): DataFrame = {
    def keyed(df: DataFrame, time: String, key: Int) =
      df.withKeyedWatermark(time, "3 seconds", key, substream = Seq("sub"))
    val l = keyed(withKeys(read(sent), "order_time"), "order_time", 0)
    val r = keyed(withKeys(read(received), "delivery_time"), "delivery_time", 1)
    l.streamJoin(r, condition(l, r), how, within(10))
  }

  private val twoKeys = (l: DataFrame, r: DataFrame) =>
    l("id") === r("id") && l("part") === r("part")

  private val oneNullSafe = (l: DataFrame, r: DataFrame) =>
    l("id") === r("id") && l("part") <=> r("part")

  private val nullSafe = (l: DataFrame, r: DataFrame) => l("id") <=> r("id")

  private val computed = (l: DataFrame, r: DataFrame) =>
    coalesce(l("id"), l("part")) === coalesce(r("id"), r("part"))

  for {
    (title, condition) <- Seq(
      "two keys, one of them or both NULL" -> twoKeys,
      "a key, and on another one with <=>, which finds NULL for NULL" -> oneNullSafe,
      "a computed key that is NULL" -> computed
    )
  } test(s"joins on $title") {
    checkBranches(
      joinTypes.map(how => how -> ((read: Path => DataFrame) => joined(how, condition)(read))),
      isKilled = false
    )
  }

  for (state <- joinStates)
    test(s"fullOuter joins on NULLs, $state")(on(state) {
      checkBranches(
        Seq("=" -> twoKeys, "<=>" -> nullSafe).map { case (title, condition) =>
          title -> ((read: Path => DataFrame) => joined("fullOuter", condition)(read))
        }
      )
    })

  test(
    "a row with a NULL in its key leaves an outer join at once, and does not wait in the state"
  ) {
    val in = (events(), events())
    val (l, r) = (
      withKeys(in._1.toDF(), "order_time").withKeyedWatermark("order_time", "3 seconds"),
      withKeys(in._2.toDF(), "delivery_time").withKeyedWatermark("delivery_time", "3 seconds", 1)
    )
    val run = new Run(
      l.streamJoin(r, l("id") === r("id"), "fullOuter", within(10))
        .select("order_time", "delivery_time")
    ).start()
    in._1.addData(event("a", 5, 1), event("a", 6, 11))
    in._2.addData(event("a", 7, 1))
    run.settle()
    assert(run.take() === Seq("5|null", "null|7"))
    assert(heldRows(run) === 1)
  }
}
