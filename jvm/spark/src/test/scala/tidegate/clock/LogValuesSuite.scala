package tidegate
package clock

import org.apache.logging.log4j.Level
import org.apache.spark.sql.functions._
import tidegate.settings.Settings

/** Nothing of a row is in the log, nor in the progress, which Spark logs. */
class LogValuesSuite extends KeyedStreamTest {

  private val secrets = Seq("alice", "bob")

  /** All lines of a query with late rows and an idle substream, and its progress as JSON. */
  private def told(): (Seq[String], Seq[String]) = {
    var progress = Seq.empty[String]
    val lines = LogLines.during("tidegate", Level.INFO) {
      val in = events()
      val run = new Run(
        in.toDF()
          .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"), idleTimeout = "1 second")
          .groupBy(window(col("time"), "10 seconds"))
          .count()
      ).start()
      in.addData(event("alice", 10), event("bob", 12))
      run.settle()
      in.addData(event("alice", 100))
      run.settle()
      run.clock.advance(5000)
      run.settle()
      in.addData(event("bob", 1), event("alice", 200))
      run.settle()
      progress = run.query.recentProgress.toSeq.map(_.json)
      val _ = run.stop()
    }
    (lines, progress)
  }

  test("without the setting, lines and progress name substreams") {
    val (lines, progress) = told()
    secrets.foreach { name =>
      assert(lines.exists(_.contains(name)), name)
      assert(progress.exists(_.contains(name)), name)
    }
  }

  test("with the setting, late rows and substreams are counted") {
    withConf(Settings.LogValues.key -> "false") {
      val (lines, progress) = told()
      for (text <- lines ++ progress; name <- secrets) assert(!text.contains(name))
      assert(lines.exists(_.endsWith(": new substreams: 2.")))
      assert(
        lines.exists(
          _.startsWith("Events dropped as late without a line of their own: aggregate=1")
        )
      )
      assert(!lines.exists(_.contains("eventTime=")))
      assert(!progress.exists(_.contains("tidegateClock")))
      assert(progress.exists(_.contains("(hidden)")))
    }
  }
}
