package tidegate.bench

import java.io.{BufferedReader, InputStreamReader, PrintWriter}
import java.lang.ProcessBuilder.Redirect
import java.nio.file.Path
import java.util.concurrent.{TimeUnit, TimeoutException}

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.{Duration, DurationInt}
import scala.concurrent.{Await, Future, blocking}
import scala.jdk.CollectionConverters._

/**
 * What a run of Flink took.
 *
 * @param rows
 *   the number of result rows
 * @param parts
 *   seconds that are part of the wall time; of what, the method says that returns this
 */
private[bench] final case class FlinkRun(took: Took, rows: Long, parts: Seq[Double])

/** Flink's side of a comparison: a cluster in another process, which runs one query at a time. */
private[bench] final class FlinkProcess private (start: () => Process) {
  private var cluster = new FlinkCluster(start())

  /** Runs a query over all files of its streams. */
  def whole(query: String, state: String, folders: Seq[Path]): FlinkRun =
    cluster.run(
      "whole" +: query +: FlinkProcess.backend(state) +: folders.map(_.toString),
      Duration.Inf
    )

  /**
   * Measures what the files after the first of each stream take, when the query has read the first.
   * They appear at once, and the only part is the checkpoint at the end; or one after the other,
   * and the parts are these.
   *
   * @param loaded
   *   the number of rows in all first files; there are `rows` in the others
   * @param limitSeconds
   *   after this time, the first files included, the run is given up, and there is no result
   */
  def changes(
      oneByOne: Boolean,
      query: String,
      state: String,
      loaded: Long,
      rows: Long,
      folders: Seq[Path],
      limitSeconds: Int
  ): Option[FlinkRun] = {
    val how = if (oneByOne) "each" else "held"
    val counts = Seq(loaded, rows).map(_.toString)
    val words = Seq(how, query, FlinkProcess.backend(state)) ++ counts ++ folders.map(_.toString)
    try Some(cluster.run(words, limitSeconds.seconds))
    catch {
      case _: TimeoutException =>
        cluster.end()
        cluster = new FlinkCluster(start())
        None
    }
  }

  private def close(): Unit = cluster.close()
}

private final class FlinkCluster(process: Process) {
  private val in = new PrintWriter(process.getOutputStream, true)
  private val out = new BufferedReader(new InputStreamReader(process.getInputStream))

  /** Fails with a [[TimeoutException]] after the limit, and the query goes on. */
  def run(words: Seq[String], limit: Duration): FlinkRun = {
    in.println(words.mkString("\t"))
    Option(Await.result(Future(blocking(out.readLine())), limit)).map(_.split(' ')) match {
      case Some(Array(wall, cpu, rows, parts @ _*)) =>
        FlinkRun(Took(wall.toDouble, cpu.toDouble), rows.toLong, parts.map(_.toDouble))
      case other => throw new IllegalStateException(s"Flink has failed, see above: $other")
    }
  }

  /** Lets the cluster end by itself, which removes its files. */
  def close(): Unit = {
    in.close()
    if (!process.waitFor(10, TimeUnit.SECONDS)) end()
  }

  /** In the middle of a query, too. */
  def end(): Unit = {
    process.destroy()
    if (!process.waitFor(30, TimeUnit.SECONDS)) { val _ = process.destroyForcibly().waitFor() }
  }
}

private[bench] object FlinkProcess {
  private val Main = "tidegate.bench.FlinkStreams"

  /** As much as sbt gives the other sides. */
  private val Heap = "6g"

  /** Runs `body` with a process of the folder that `make build/flink/.ready` fills, if any. */
  def use[A](build: Option[Path])(body: Option[FlinkProcess] => A): A =
    build.fold(body(None)) { folder =>
      val process = new ProcessBuilder((ChildProcess.java(Heap) :+ Main).asJava)
      process.redirectError(Redirect.INHERIT)
      process.environment.put("CLASSPATH", s"$folder/classes:$folder/dependency/*")
      val flink = new FlinkProcess(() => process.start())
      val stop = new Thread(() => flink.cluster.end())
      Runtime.getRuntime.addShutdownHook(stop)
      try body(Some(flink))
      finally {
        flink.close()
        val _ = Runtime.getRuntime.removeShutdownHook(stop)
      }
    }

  /** Flink's counterpart of one of Spark's state stores. */
  private def backend(state: String): String = if (state == "hdfs") "hashmap" else "rocksdb"
}
