package tidegate.snapshot

import java.util.regex.Matcher

import tidegate.errors.PathErrors
import tidegate.paths.RelativePath

/**
 * The paths of schemas that Spark writes into the metadata of `transformWithState`. They are
 * absolute, so they change when a checkpoint moves.
 */
private[snapshot] object SchemaPaths {
  private val Metadata = """state/\d+/_metadata/v2/\d+""".r
  private val Schema = """"[^"]*/(state/\d+/_stateSchema/[^"]*)"""".r

  /** Whether a file of a checkpoint has such paths. */
  def areIn(path: String): Boolean = Metadata.matches(path)

  /**
   * The text of the file in the checkpoint at another place.
   *
   * @throws AnalysisException
   *   if a schema would not be in that checkpoint
   */
  def moved(text: String, root: String): String = Schema.replaceAllIn(
    text,
    m => {
      val path = m.group(1)
      if (RelativePath.leaves(path)) throw PathErrors.leaves(root, Seq(path))
      Matcher.quoteReplacement(s""""$root/$path"""")
    }
  )
}
