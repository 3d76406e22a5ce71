package tidegate.ui

import scala.xml.{Node, NodeSeq, Text}

import org.apache.spark.sql.tidegate.UiRequest
import tidegate.core.EndOfTime
import tidegate.core.figures.{Verdict, WatermarkFigures, Words}

/** What the pages are made of. */
private[ui] object Elements {

  /** The beginning of the paths of the pages. */
  val Prefix = "EventTime"

  /** Where the documentation is. */
  val Documentation = "https://github.com/tidegate/tidegate/blob/main/docs"

  /** The path of a file of the pages. */
  def path(file: String): String = s"/$Prefix/static/$file"

  // The ids of places that other places are links to.

  def substreamsId(watermark: String): String = s"substreams-$watermark"

  /** The row of the substream that a watermark waits for. */
  def holderId(watermark: String): String = s"holder-$watermark"

  def operatorId(operator: String): String = s"operator-$operator"

  /**
   * A cell of a table.
   *
   * @param key
   *   by which the table is sorted: numbers by size, texts by their letters
   */
  final case class Cell(content: Seq[Node], key: String)

  object Cell {

    /** A short text stays in one line. */
    def apply(text: String): Cell = {
      val content = if (text.length > 24) Text(text) else <span class="tg-short">{text}</span>
      Cell(content, text)
    }

    def apply(n: Long): Cell = Cell(Text(f"$n%,d"), n.toString)

    val empty: Cell = Cell(Text("–"), "")
  }

  /** The frame of a page, with its own style and its script. */
  def page(request: UiRequest)(content: => NodeSeq): Seq[Node] =
    <link rel="stylesheet" href={request.link(path("event-time.css"))}/> ++
      <script src={request.link(path("event-time.js"))} defer="defer"></script> ++
      <p class="tg-head"><label><input type="checkbox" id="tg-live"/> refresh every 5 seconds</label>
        <span id="tg-zone">Times are in UTC.</span></p> ++
      <div id="tg-content">{content}</div>

  /** A table that a click on the head of a column sorts, or the enter key on it. */
  def sortable(id: String, columns: String*)(rows: Seq[Seq[Cell]]): Node =
    <div class="tg-scroll"><table id={id} class="table table-bordered table-sm tg-sortable">
      <thead><tr>{
      columns.map(c => <th scope="col" aria-sort="none"><button type="button">{c}</button></th>)
    }</tr></thead>
      <tbody>{
      rows.map { row =>
        <tr>{row.map(cell => <td data-key={cell.key}>{cell.content}</td>)}</tr>
      }
    }</tbody>
    </table></div>

  /** A verdict as a word with a colour. */
  def badge(kind: String): Node =
    <span class={s"tg-verdict tg-${kind.replace(' ', '-')}"}>{kind}</span>

  /** Who is waited for, and since when. */
  def waits(verdict: Verdict, atMs: Long): Seq[Cell] = Seq(
    verdict.waitsFor.fold(Cell("nobody"))(Cell(_)),
    verdict.sinceMs.fold(Cell.empty) { ms =>
      val text = s" (${spanText(atMs - ms)})"
      Cell(<span class="tg-short">{Words.time(ms)}</span> ++ Text(text), ms.toString)
    }
  )

  /** A point in event time. */
  def time(ms: Option[Long]): Cell = ms.fold(Cell.empty) { at =>
    val text = if (at >= EndOfTime.Ms) "the end of time" else Words.time(at)
    Cell(<span class="tg-short">{text}</span>, at.toString)
  }

  /** How far a watermark is behind the wall clock. */
  def lag(watermarkMs: Option[Long], wallClockMs: Long): Cell =
    WatermarkFigures.lagMs(watermarkMs, wallClockMs).fold(Cell.empty)(span)

  /** A span of time, in its two largest units. */
  def span(ms: Long): Cell = Cell(Text(spanText(ms)), ms.toString)

  def spanText(ms: Long): String =
    if (ms < 0) s"-${Words.duration(-ms)}" else Words.duration(ms)

  /** A number of bytes in the largest unit of which it has one. */
  def bytes(n: Long): String = Bytes.Units
    .find { case (_, size) => n >= size }
    .fold(s"$n B") { case (unit, size) => f"${n.toDouble / size}%.1f $unit" }

  private object Bytes {
    val Units: Seq[(String, Long)] = Seq("TiB" -> 40, "GiB" -> 30, "MiB" -> 20, "KiB" -> 10).map {
      case (unit, power) => unit -> (1L << power)
    }
  }
}
