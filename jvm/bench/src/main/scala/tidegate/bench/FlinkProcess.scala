package tidegate.bench

import java.io.{BufferedReader, InputStreamReader, PrintWriter}
import java.lang.ProcessBuilder.Redirect
import java.nio.file.Path
import java.util.concurrent.TimeUnit

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
private[bench] final class FlinkProcess private (process: Process) {
  private val in = new PrintWriter(process.getOutputStream, true)
  private val out = new BufferedReader(new InputStreamReader(process.getInputStream))

  /** Runs a query over all files of its streams. */
  def whole(query: String, state: String, folders: Seq[Path]): FlinkRun =
    run("whole" +: query +: FlinkProcess.backend(state) +: folders.map(_.toString))

  /**
   * Measures what the files after the first of each stream take, when the query has read the first.
   * They appear at once, and the only part is the checkpoint at the end; or one after the other,
   * and the parts are these.
   *
   * @param loaded
   *   the number of rows in all first files; there are `rows` in the others
   */
  def changes(
      oneByOne: Boolean,
      query: String,
      state: String,
      loaded: Long,
      rows: Long,
      folders: Seq[Path]
  ): FlinkRun = {
    val how = if (oneByOne) "each" else "held"
    val counts = Seq(loaded, rows).map(_.toString)
    run(Seq(how, query, FlinkProcess.backend(state)) ++ counts ++ folders.map(_.toString))
  }

  /** Lets the cluster end by itself, which removes its files. */
  private def close(): Unit = {
    in.close()
    if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroy()
  }

  private def run(words: Seq[String]): FlinkRun = {
    in.println(words.mkString("\t"))
    Option(out.readLine()).map(_.split(' ')) match {
      case Some(Array(wall, cpu, rows, parts @ _*)) =>
        FlinkRun(Took(wall.toDouble, cpu.toDouble), rows.toLong, parts.map(_.toDouble))
      case other => throw new IllegalStateException(s"Flink has failed, see above: $other")
    }
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
      val child = process.start()
      val stop = new Thread(() => child.destroy())
      Runtime.getRuntime.addShutdownHook(stop)
      val flink = new FlinkProcess(child)
      try body(Some(flink))
      finally {
        flink.close()
        val _ = Runtime.getRuntime.removeShutdownHook(stop)
      }
    }

  /** Flink's counterpart of one of Spark's state stores. */
  private def backend(state: String): String = if (state == "hdfs") "hashmap" else "rocksdb"
}
