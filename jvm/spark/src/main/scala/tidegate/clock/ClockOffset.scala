package tidegate.clock

import java.time.Instant

import org.apache.spark.sql.connector.read.streaming.Offset
import tidegate.core.clock.{ClockCodec, ClockState, FormerNames, NodeMark}
import tidegate.errors.CheckpointErrors

/**
 * The offset of the clock: a query's vector of keyed watermarks. Two offsets are equal if nothing
 * in them can change a result.
 */
final class ClockOffset(val state: ClockState) extends Offset {

  // Spark asks for the text at every trigger.
  override lazy val json: String = ClockCodec.write(state)

  /** The same offset for a query in which some operators have other names. */
  def renamed(former: FormerNames): ClockOffset = {
    val now = former(state)
    if (now eq state) this else new ClockOffset(now)
  }

  override def equals(other: Any): Boolean = other match {
    case that: ClockOffset => state.givesSameAs(that.state)
    case that: Offset      => json == that.json
    case _                 => false
  }

  // A passive state gives the same as all others, so that only a constant keeps the contract.
  override def hashCode(): Int = ClockCodec.Marker.hashCode

  /** For errors and the log: the watermarks alone, because `json` has every substream. */
  override def toString: String =
    state.nodes.toSeq
      .sortBy(_._1)
      .map { case (name, mark) => s"$name=${text(mark)}" }
      .mkString("{", ", ", "}")

  private def text(mark: NodeMark): String =
    mark.watermarkMs.fold("none")(Instant.ofEpochMilli(_).toString) +
      (if (mark.idle) " (idle)" else "")
}

object ClockOffset {

  val empty = new ClockOffset(ClockState.empty)

  /**
   * Reads an offset from the offset log.
   *
   * @param file
   *   the file of the checkpoint that has the text, for errors
   * @throws AnalysisException
   *   if the text is of another source, of a newer version or damaged
   */
  def parse(json: String, file: => Option[String] = None): ClockOffset =
    read(json, file).getOrElse(throw CheckpointErrors.foreignOffset(json))

  /** As `parse`, but `None` if the text is of another source. */
  def read(json: String, file: => Option[String]): Option[ClockOffset] =
    ClockCodec.read(json) match {
      case Right(state)                   => Some(new ClockOffset(state))
      case Left(ClockCodec.Foreign)       => None
      case Left(ClockCodec.Newer(format)) =>
        throw CheckpointErrors.newerState("the clock", format, ClockCodec.Format)
      case Left(ClockCodec.Damaged(node, what)) =>
        throw CheckpointErrors.damagedOffset(file, node, what)
    }
}
