package tidegate.javaapi

import java.nio.file.{Files, Path, Paths}
import java.time.Instant
import java.util.Optional

import examples.{Orders, Prices}
import tidegate.{KeyedStreamTest, TempFolders}

/** The examples in Java, as a user's program would have them. */
class JavaExampleSuite extends KeyedStreamTest {

  private def orders(): Orders = {
    val folder = TempFolders.create("java")
    write(
      folder.resolve("orders"),
      """{"order_id":1,"order_time":"2026-01-01T12:00:10Z","topic":"web","partition":0}""",
      """{"order_id":2,"order_time":"2026-01-01T11:50:10Z","topic":"web","partition":1}""",
      """{"order_id":3,"order_time":"2026-01-01T12:01:10Z","topic":"web","partition":0}""",
      """{"order_id":4,"order_time":"2026-01-01T11:51:10Z","topic":"web","partition":1}"""
    )
    write(
      folder.resolve("deliveries"),
      """{"order_id":1,"delivery_time":"2026-01-01T12:05:00Z"}"""
    )
    new Orders(spark, folder.toString)
  }

  private def write(folder: Path, lines: String*): Unit = {
    Files.createDirectory(folder)
    Files.writeString(folder.resolve("0.json"), lines.mkString("\n"))
    ()
  }

  private def rows(table: String): Set[String] =
    spark.table(table).collect().map(_.toSeq.mkString(" ")).toSet

  test("windows close up to the watermark of the substream that is behind") {
    val example = orders()
    val query = example.run(example.counts(), "java_counts")
    query.processAllAvailable()
    assert(rows("java_counts") === Set("2026-01-01 11:50:00.0 1"))
    assert(example.completeUntil(query) === Optional.of(Instant.parse("2026-01-01T11:51:05Z")))
  }

  test("orders leave the join with a delivery, or with null when none can come any more") {
    val example = orders()
    val query = example.run(example.joined(), "java_joined")
    query.processAllAvailable()
    assert(rows("java_joined") === Set("1 2026-01-01 12:05:00.0", "2 null", "4 null"))
    assert(example.waitsFor(query) === Optional.of("deliveries"))
  }

  test("calls of a function in Java answer in order, with their keys") {
    val prices = Prices.of(spark.range(1, 4, 1, 1).toDF("order_id"), AsyncOptions.defaults())
    val answers = prices.collect().map(_.toSeq.mkString(" ")).toSeq
    assert(answers === Seq("1 10 0-0", "2 20 0-1", "3 30 0-2"))
  }

  test("a failed call shows the exception of the service, without what Java wraps around it") {
    val options = AsyncOptions.defaults().retries(0)
    val prices = Prices.of(spark.range(13, 14, 1, 1).toDF("order_id"), options)
    val failure = Iterator
      .iterate[Throwable](intercept[Exception](prices.collect()))(_.getCause)
      .takeWhile(_ != null)
      .map(_.getMessage)
      .find(_.contains("[TIDEGATE_"))
      .get
    val sentence = failure.linesIterator.next()
    assert(
      sentence.endsWith(
        "[TIDEGATE_CALL_FAILED] mapAsync: the call of function examples.Prices for row 0 of " +
          "partition 0 in batch -1 has failed after 1 attempt: IllegalArgumentException: order " +
          "13 has no price. Recover from the error in the function, allow more retries, or set " +
          "onError to 'null' or 'dead letter'. SQLSTATE: 38000"
      )
    )
  }

  test("the lines of the example on the page of languages are lines of this example") {
    val page = Files.readString(Paths.get(sys.props("tidegate.docs"), "languages.md"))
    val block = "(?s)```java\n(.*?)```".r.findFirstMatchIn(page).map(_.group(1)).get
    val test = Paths.get(sys.props("tidegate.main-sources"), "../../../test/java/examples")
    val example = Files.readString(test.resolve("Orders.java").normalize)
    def flat(code: String) = code.replaceAll("\\s+", "")
    val statements = block.split(";\n").map(_.trim).filterNot(_.isEmpty)
    assert(statements.length >= 5)
    assert(statements.filterNot(s => flat(example).contains(flat(s))).toSeq === Nil)
  }
}
