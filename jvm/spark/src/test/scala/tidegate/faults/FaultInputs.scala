package tidegate
package faults

import java.nio.file.Path
import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.{DataFrame, SparkSession}

/** Two streams of events, a file of each for every batch. */
final case class FaultInputs(left: Path, right: Path) {

  /** The query over both streams, in a session of its own: views of queries have equal names. */
  def queried(
      spark: SparkSession,
      query: FaultQuery,
      stream: (SparkSession, Path) => DataFrame = NumberedFiles.stream
  ): DataFrame = {
    val session = spark.newSession()
    spark.conf.getAll.foreach { case (key, value) =>
      if (spark.conf.isModifiable(key)) session.conf.set(key, value)
    }
    session.experimental.extraStrategies = spark.experimental.extraStrategies
    query.apply(stream(session, left), stream(session, right))
  }
}

object FaultInputs {
  private val Batches = 8
  private val RowsOfSubstream = 8
  private val StepSeconds = 6

  /**
   * Random events. Two substreams of each stream are in step, a third one is a minute behind; a few
   * rows are older than the lag allows. The last file ends it all.
   */
  def random(seed: Long): FaultInputs = {
    val random = new Random(seed)
    FaultInputs(events(random), events(random))
  }

  private def events(random: Random): Path = {
    val batches = (0 until Batches).map { i =>
      for (sub <- Seq("a", "b", "slow"); _ <- 1 to RowsOfSubstream) yield {
        val behind = if (sub == "slow") 20 else 0
        val late = if (random.nextInt(20) == 0) 30 else 0
        val second = 100 + i * StepSeconds - behind - late + random.nextInt(StepSeconds)
        event(sub, second.toDouble, random.nextInt(40))
      }
    }
    val end = Seq("a", "b", "slow").map(event(_, 9000, 99))
    EventFiles.of(batches :+ end: _*)
  }

  private def event(sub: String, second: Double, n: Int) =
    Event(sub, new Timestamp((second * 1000).toLong), n)
}
