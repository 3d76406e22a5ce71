package tidegate.ui

import scala.xml.{Node, Text}

import tidegate.ui.Elements._

/** The stateful operators of a query: their time in and out, late rows, and state. */
private[ui] object OperatorTable {

  def html(run: RunPicture): Node = sortable(
    "tg-operators",
    "Operator",
    "Rows below are late",
    "Behind the clock",
    "Held back by",
    "State leaves below",
    "State held back by",
    "Next window ends",
    "State rows",
    "State size",
    "Late rows",
    "In the last batch",
    "Share of late rows"
  )(run.operators.map(row(run, _)))

  private def row(run: RunPicture, o: OperatorPicture): Seq[Cell] = Seq(
    Cell(<span id={s"operator-${o.name}"}>{o.name}</span>, o.name),
    time(o.mark.watermarkMs),
    lag(o.mark.watermarkMs, run.atMs),
    heldBack(run, o.heldBackBy),
    time(o.mark.evictionMs),
    o.evictionHeldBackBy.fold(Cell.empty)(heldBack(run, _)),
    time(o.nextEndMs),
    o.state.fold(Cell.empty)(s => Cell(s.rows)),
    o.state.fold(Cell.empty)(s => Cell(Text(bytes(s.bytes)), s.bytes.toString)),
    Cell(o.lateRows),
    Cell(o.lateRowsInBatch),
    share(run, o.name)
  )

  /** Of the rows that the shown batches read. */
  private def share(run: RunPicture, operator: String): Cell = {
    val read = run.batches.map(_.inputRows).sum
    val late = run.batches.flatMap(_.operators.get(operator)).map(_.lateRows.inBatch).sum
    if (read == 0) Cell.empty
    else {
      val percent = 100.0 * late / read
      val text = if (late > 0 && percent < 0.01) "below 0.01 %" else f"$percent%.2f %%"
      Cell(Text(text), percent.toString)
    }
  }

  /** The watermark that an operator waits for, and the substream that the watermark waits for. */
  private def heldBack(run: RunPicture, watermark: String): Cell = {
    val holder = run.watermarks.find(_.name == watermark).flatMap(_.heldBackBy)
    val link = <a href={s"#substreams-$watermark"}>{watermark}</a>
    val by = holder.toSeq.flatMap { name =>
      Text(": ") ++ <a href={s"#${SubstreamTable.holderId(watermark)}"}>{name}</a>
    }
    Cell(link ++ by, s"$watermark ${holder.getOrElse("")}")
  }
}
