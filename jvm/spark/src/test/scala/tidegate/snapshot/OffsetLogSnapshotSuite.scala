package tidegate
package snapshot

import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Snapshots of queries whose offset log has format 2: by places, and by the names of sources. */
class OffsetLogSnapshotSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq("by places")

  private val Paused = 4
  private val rows = (1 to 9).map(n => Seq(event("a", 10.0 * n), event("b", 10.0 * n - 3)))
  private val names = Seq("l", "r")
  private val format2 = "spark.sql.streaming.offsetLog.formatVersion" -> "2"
  private val evolution = "spark.sql.streaming.queryEvolution.enableSourceEvolution" -> "true"

  private def byPlace(folder: Path, name: String): DataFrame = {
    val _ = name
    stream(folder)
  }

  private def byName(folder: Path, name: String): DataFrame = NamedSources
    .named(spark.readStream, name)
    .schema(KeyedStreamTest.eventEncoder.schema)
    .option("maxFilesPerTrigger", 1L)
    .json(folder.toString)

  private def keyed(in: DataFrame, name: String, lag: String): DataFrame =
    in.withKeyedWatermark("time", lag, substream = Seq("sub"), name = name)

  private def counts(streams: Seq[DataFrame]): DataFrame =
    streams.reduce(_ union _).groupBy(window(col("time"), "10 seconds")).count()

  for (
    (title, isByName, source, settings) <- Seq(
      ("places", false, byPlace _, Seq(format2)),
      ("names", true, byName _, Seq(format2, evolution))
    )
  )
    test(s"by $title: exported, forked, inspected and checked") {
      assume(NamedSources.areThere)
      withConf(settings: _*) {
        val folders = names.map(_ => EventFiles.of(rows.take(Paused): _*))
        def streams(lag: String = "2 seconds") = folders.zip(names).map { case (folder, name) =>
          keyed(source(folder, name), name, lag)
        }
        val path = TempFolders.create("snapshot").resolve("one").toString
        val original = new Run(counts(streams()))
        // Without rows, the last batch carries the watermark on.
        val last = exportSnapshot(original.start().settle().query, path).batchId
        val offsets = Files.readString(Path.of(path, s"offsets/$last"))
        assert(offsets.startsWith("v2"))

        def sources(location: String) =
          inspectSnapshot(location).stages.filter(_.kind == "source").map(_.stage)
        val descriptions = folders.map(folder => s"FileStreamSource[file:$folder]")
        val described = names.zip(descriptions).map { case (name, d) => s"$name ($d)" }
        assert(sources(path) === (if (isByName) described else descriptions))
        val found = inspectSnapshot(path).stages
        assert(found.filter(_.kind == "source").forall(_.detail === """{"logOffset":3}"""))
        assert(found.filter(_.kind == "watermark").map(_.stage) === names)
        assert(found.find(_.kind == "operator").flatMap(_.rows).exists(_ > 0))
        // Who exports a checkpoint knows no descriptions; and the clock has a place, too.
        val ofCheckpoint = sources(original.checkpoint.toString)
        assert(ofCheckpoint.size === 2)
        assert(ofCheckpoint.forall(name => if (isByName) names.contains(name) else name.size == 1))

        val same = checkCompatibility(path, counts(streams()))
        assert(same.stages.map(_.verdict).distinct === Seq(Verdict.GoesOn), same)
        assert(same.stages.size === 4)
        val slower = checkCompatibility(path, counts(streams("9 seconds")))
        assert(slower.stages.find(_.stage == "l").exists(_.reason.contains("fixedLag(9000 ms)")))
        val moved = checkCompatibility(path, counts(streams().reverse))
        assert(moved.isCompatible === isByName)
        if (!isByName)
          assert(moved.stages.head.reason.startsWith("[TIDEGATE_STREAMS_MOVED]"))

        original.stop()
        for (folder <- folders; n <- Paused until rows.size) addFile(folder, n, rows(n))
        original.start().settle().stop()
        val after = original.byBatch.filter { case (id, _) => id > last }
        assert(after.values.flatten.nonEmpty)
        val orders = Seq(streams()) ++ Option.when(isByName)(streams().reverse)
        orders.foreach { order =>
          val checkpoint = TempFolders.create("fork").resolve("one")
          startSnapshot(path, checkpoint.toString)
          val fork = new Run(counts(order), checkpoint)
          // Spark itself cannot go on after a kill within a batch: only a clean stop is tried.
          fork.start().settle().restart().settle().stop()
          assert(fork.byBatch === after)
        }
      }
    }
}
