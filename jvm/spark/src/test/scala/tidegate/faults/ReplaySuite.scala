package tidegate
package faults

import java.nio.file.Path

import scala.util.Random

import org.apache.spark.sql.DataFrame

/**
 * The same rows, cut into batches in random ways, with random restarts: as long as no row is older
 * than the lag allows, the rows that come out are the same.
 *
 * `-Dtidegate.cases=N` sets how many ways are tried for each query, `-Dtidegate.seed=N` which.
 */
class ReplaySuite extends KeyedStreamTest {
  private val ways = sys.props.get("tidegate.cases").fold(4)(_.toInt)
  private val firstSeed = sys.props.get("tidegate.seed").fold(1L)(_.toLong)

  /** In the order in which they come; none is late, however they are cut. */
  private def events(seed: Long): Seq[Event] = {
    val random = new Random(seed)
    for (second <- 100 until 160; sub <- Seq("a", "b", "slow") if random.nextInt(3) > 0) yield {
      val behind = if (sub == "slow") 20 else 0
      event(sub, second - behind - random.nextInt(3), random.nextInt(40))
    }
  }

  private val end = Seq("a", "b", "slow").map(event(_, 9000, 99))

  private val (left, right) = (events(1), events(2))

  /**
   * The same rows in random files. The first has a row of each substream: one that nobody knows of
   * holds nothing back, and its rows would be late.
   */
  private def cut(rows: Seq[Event], random: Random): Path = {
    val first = rows.map(_.sub).distinct.map(sub => rows.indexWhere(_.sub == sub)).max + 1
    def place() = first + random.nextInt(rows.size - first)
    val cuts = (0 +: Seq.fill(random.nextInt(8))(place()) :+ rows.size).distinct.sorted
    val files = cuts.zip(cuts.tail).map { case (from, until) => rows.slice(from, until) }
    EventFiles.of(files :+ end: _*)
  }

  // What leaves the state earlier lets a duplicate in earlier.
  private val queries = FaultQuery.all.filterNot(_.name == "deduplication within the watermark")

  queries.filter(_.isUpdate.contains(false)).foreach { query =>
    test(s"${query.name}: $ways ways to cut the rows, with restarts") {
      val whole = FaultInputs(EventFiles.of(left, end), EventFiles.of(right, end))
      val wanted = rows(query, whole, StateStoreKind.changelog, restarts = Set.empty)
      assert(wanted.size > 5)
      (firstSeed until firstSeed + ways).foreach { seed =>
        val random = new Random(seed)
        val store = query.stores(random.nextInt(query.stores.size))
        val inputs = FaultInputs(cut(left, random), cut(right, random))
        val restarts = Seq.fill(random.nextInt(11))(random.nextInt(10).toLong).toSet
        withClue(s"seed $seed: ")(assert(rows(query, inputs, store, restarts) === wanted))
      }
    }
  }

  /** @param restarts the batches that fail once */
  private def rows(
      query: FaultQuery,
      inputs: FaultInputs,
      store: StateStoreKind,
      restarts: Set[Long]
  ): Seq[String] = withConf(store.conf.toSeq: _*) {
    def frame: DataFrame = inputs.queried(spark, query)
    val run = new Run(frame)
    restarts.toSeq.sorted.foreach { batch =>
      run.failIn = _ == batch
      run.start().awaitEnd()
    }
    run.failIn = _ => false
    run.start().settle().stop()
    run.answer
  }
}
