package tidegate
package own.windows

import org.apache.spark.sql.DataFrame
import tidegate.settings.Settings

/** Keys of windows that overlap whose rows are far ahead of the watermark. */
class FarRowsSuite extends FrameRestartTest {

  private val twenty = Hop(20, 10)

  /** The rows of keys in the state. */
  private def state(run: CollectedBatches): DataFrame =
    spark.read
      .format("statestore")
      .option("operatorId", 1000L)
      .load(run.checkpoint.toString)
      .where("key.chunk is null or key.chunk < 2147483646")

  /** The number of keys that have far rows. */
  private def far(run: CollectedBatches): Long =
    state(run).filter("key.chunk < -1").select("key.*").drop("chunk").distinct().count()

  /** Keys 1 and 2 are at 100 to 120, keys 2 to 4 are at 2000 and later; the watermark is at 115. */
  private def open(
      hop: Hop,
      windows: (DataFrame, Hop) => DataFrame = inWindows
  ): (Changing, Seq[String]) = {
    val query = new Changing(hop, windows)
    val first = rows(Seq(1, 2), 100 to 120) ++ rows(Seq(2, 3, 4), 2000 to 2050) :+ row(1, 100, "b")
    val out = query.send(first: _*) ++ query.send(row(1, 115, "b"))
    query -> out
  }

  /** An earlier window of key 3, one more row of key 4, and then the end of all. */
  private def end(query: Changing): Seq[String] =
    query.send(row(3, 500), row(4, 2001), row(2, 115, "b")) ++
      query.send(row(3, 505, "b")) ++ query.send(row(4, 2045, "b")) ++
      query.send(row(1, 9000), row(1, 9000, "b"))

  StateStoreKind.tested.foreach { store =>
    Seq(twenty -> inWindows _, Hop(30, 10, grows = true) -> inSqlWindows _).foreach {
      case (hop, windows) =>
        val growing = if (hop.grows) "grow" else "slide"
        test(s"windows that $growing are those of all rows, on ${store.name}") {
          on(store) {
            val (query, out) = open(hop, windows)
            assertFrames(query.run)
            query.run.stop()
            // Key 2 has a window that is near.
            assert(far(query.run) === 2)
            query.run.start().settle()
            val all = out ++ end(query)
            assertSame(all.sorted, searched(hop, 0, 9000, query.all))
            query.run.stop()
            // Only the last two rows, which were far when they came.
            assert(state(query.run).count() === 1)
            assert(far(query.run) === 1)
          }
        }
    }

    test(s"windows are those of all rows, also if a batch is read key by key, on ${store.name}") {
      on(store) {
        withConf(Settings.WindowsMaxInputBytes.key -> "1b") {
          val (query, out) = open(twenty)
          val counted = query.run.stateRows
          query.run.stop()
          // With the list of buckets.
          assert(counted === state(query.run).count() + 1)
          query.run.start()
          val all = out ++ end(query)
          assertSame(all.sorted, searched(twenty, 0, 9000, query.all))
          query.run.stop()
        }
      }
    }

    test(s"far rows move where the windows were changed, on ${store.name}") {
      on(store) {
        Seq(Hop(40, 10), Hop(20, 5), Hop(20, 10, 3), Hop(20, 20)).foreach { to =>
          val (query, _) = open(twenty)
          val (before, after) = (query.all, query.closed)
          query.run.stop()
          assert(far(query.run) === 2)
          query.changeWindows(to)
          query.run.start().settle()
          // The first batch of a run brings all keys back.
          val first = query.send(row(1, 125))
          query.run.stop()
          assert(far(query.run) === 0)
          query.run.start().settle()
          val out = first ++ end(query)
          val kept = if (to.slide % 10 == 0 && to.offset == 0) before else moved(before, twenty)
          // What had left is in none of these.
          val exactFrom = after + 20 + to.size
          def exact(found: Seq[String]) =
            found.filter(_.replaceAll(".*,(.*)\\).*", "$1").toInt >= exactFrom).sorted
          assertSame(
            exact(out),
            exact(searched(to, after, 9000, kept ++ query.all.drop(before.size)))
          )
          query.run.stop()
          // Of the last two rows.
          assert(far(query.run) === 1)
        }
      }
    }
  }

  test("no row is far in a store that does not find them") {
    on(StateStoreKind.hdfs) {
      val (query, out) = open(twenty)
      query.run.stop()
      assert(far(query.run) === 2)
      withConf(Settings.StateSharesVersions.key -> "false") {
        query.run.start()
        val more = query.send(row(4, 2001))
        query.run.stop()
        assert(far(query.run) === 0)
        query.run.start()
        val all = out ++ more ++ end(query)
        assertSame(all.sorted, searched(twenty, 0, 9000, query.all))
        query.run.stop()
      }
    }
  }
}
