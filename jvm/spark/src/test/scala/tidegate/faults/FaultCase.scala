package tidegate
package faults

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{Dataset, Row, SparkSession}

/**
 * A query with an output mode and a sink. In the folder of a run it has a checkpoint and an output.
 *
 * @param hasFileSink
 *   whether it writes with Spark's sink of files; else with `foreachBatch`, a file for each batch
 */
final case class FaultCase(query: FaultQuery, isUpdate: Boolean, hasFileSink: Boolean) {

  val name: String =
    query.name + (if (isUpdate) ", update" else if (hasFileSink) "" else ", foreachBatch")

  private def in(run: Path): Path = run.resolve(name.replaceAll("\\W+", "-"))
  private def checkpoint(run: Path): Path = in(run).resolve("checkpoint")
  private def output(run: Path): Path = in(run).resolve("output")
  private def late(run: Path): Path = in(run).resolve("late")
  private def end(run: Path): Path = in(run).resolve("end")

  /** Runs the query until it has read all files, and writes down that it has. */
  def run(spark: SparkSession, inputs: FaultInputs, run: Path): Unit = {
    Files.createDirectories(output(run))
    // What is left if the process is killed while Spark writes the first offset. Spark refuses it.
    if (!Files.exists(checkpoint(run).resolve("offsets/0")))
      FileUtils.deleteDirectory(checkpoint(run).toFile)
    val writer = FaultQuery.lateRows
      .withValue(Some(late(run)))(inputs.queried(spark, query))
      .writeStream
      .queryName(name)
      .outputMode(if (isUpdate) OutputMode.Update() else OutputMode.Append())
      .option("checkpointLocation", checkpoint(run).toString)
    val running =
      if (hasFileSink) writer.format("json").start(output(run).toString)
      else
        writer
          .foreachBatch(new BatchFiles(output(run)).write(_: Dataset[Row], _: Long))
          .start()
    // What a trigger found is known at the next one.
    (1 to 3).foreach(_ => running.processAllAvailable())
    running.stop()
    Files.createFile(end(run))
    ()
  }

  def hasEnded(run: Path): Boolean = Files.exists(end(run))

  /** How many batches are in the commit log. */
  def commits(run: Path): Int =
    Option(checkpoint(run).resolve("commits").toFile.list()).fold(0)(_.count(_.forall(_.isDigit)))

  def result(spark: SparkSession, run: Path): FaultResult = {
    val rows =
      if (hasFileSink)
        // Reads the files that the sink has committed, and no others.
        spark.read.text(output(run).toString).collect().map(_.getString(0)).sorted.toSeq
      else new BatchFiles(output(run)).rows
    FaultResult(rows, lateRows(spark, run), Checkpoints.log(spark, checkpoint(run)))
  }

  /** The late rows of the operators, each with its batch. */
  private def lateRows(spark: SparkSession, run: Path): Seq[String] =
    Option(late(run).toFile.listFiles()).toSeq.flatten.filter(_.list().nonEmpty).sorted.flatMap {
      folder =>
        spark.read
          .option("mergeSchema", "true")
          .parquet(folder.toString)
          .drop("query", "wall_clock")
          .toJSON
          .collect()
          .toSeq
          .sorted
    }
}

object FaultCase {

  /**
   * All that a state store allows. Spark's sink of files takes no updates. With checkpoint format 2
   * Spark cannot go on if it is killed between the sink's commit and its own: the sink skips the
   * batch, and Spark misses the ids of its state.
   */
  def all(store: StateStoreKind): Seq[FaultCase] =
    for (q <- FaultQuery.all if q.stores.contains(store); isUpdate <- q.isUpdate)
      yield FaultCase(q, isUpdate, hasFileSink = !isUpdate && store != StateStoreKind.format2)

  /** Writes down which cases a run has. */
  def write(run: Path, cases: Seq[FaultCase]): Unit = {
    Files.write(run.resolve("cases"), cases.map(_.name).asJava)
    ()
  }

  /** The cases of a run. */
  def of(run: Path): Seq[FaultCase] = {
    val names = Files.readAllLines(run.resolve("cases")).asScala.toSet
    StateStoreKind.all.flatMap(all).distinct.filter(c => names(c.name))
  }
}

/**
 * What has to be the same however often a query was killed.
 *
 * @param rows
 *   the text of the rows, sorted
 * @param late
 *   the text of the late rows, sorted
 * @param batches
 *   the watermarks of every operator in every batch
 */
final case class FaultResult(rows: Seq[String], late: Seq[String], batches: Seq[LoggedBatch])
