package tidegate.plans

import tidegate.core.window.WindowGrid

/**
 * Which windows of a query are put together from frames.
 *
 * @param windows
 *   the windows that are, by the name of their operator
 * @param against
 *   why the windows of an operator are not
 * @param againstAll
 *   why no windows are: also those of an operator without a name, which keeps late rows
 */
final case class FrameDecisions(
    windows: Map[String, WindowGrid],
    against: Map[String, String],
    againstAll: Option[String]
)
