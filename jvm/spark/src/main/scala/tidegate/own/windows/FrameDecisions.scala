package tidegate.own.windows

import tidegate.core.window.WindowGrid

/**
 * Which windows of a query are put together from frames.
 *
 * @param windows
 *   the windows that are put together from frames, by the name of their operator
 * @param short
 *   the operators among them whose state has short rows
 * @param against
 *   why the windows of an operator are not, by the name of the operator
 * @param againstAll
 *   why no windows are, not even the windows of an operator that has no name because it keeps late
 *   rows
 */
final case class FrameDecisions(
    windows: Map[String, WindowGrid],
    short: Set[String],
    against: Map[String, String],
    againstAll: Option[String]
)
