package tidegate
package golden

import java.nio.file.{Files, Path}

import org.scalatest.Assertions

/**
 * What is written of a fixed state, which may only change together with the number of its format.
 *
 * @param what
 *   for messages
 * @param number
 *   where the number is, for messages
 * @param reader
 *   what reads all formats, for messages
 */
final case class PinnedFormat(
    name: String,
    format: Int,
    what: String,
    number: String,
    reader: String
) extends Assertions {

  def check(text: String): Unit =
    if (GoldenFolder.written.isDefined) write(text)
    else if (!Files.exists(file))
      fail(s"Nobody has pinned format $format of $what, $file. ${PinnedFormat.Advice}")
    else if (Files.readString(file) != text)
      fail(
        s"Written differently than before, with the same number $format of the format: $what. " +
          s"Checkpoints of users have the form in $file; this version writes:\n$text\n" +
          s"Raise $number, let $reader read format $format too, and pin the new one. " +
          PinnedFormat.Advice
      )

  /** What is pinned stays. */
  private def write(text: String): Unit = if (!Files.exists(file)) {
    Files.createDirectories(file.getParent)
    Files.writeString(file, text)
    ()
  }

  private def file: Path = GoldenFolder.root.resolve(s"formats/$name-$format.txt")
}

object PinnedFormat {
  private val Advice =
    "Write golden checkpoints of this format: ./sbt -Dtidegate.golden.write=<version> " +
      "\"spark/testOnly tidegate.golden.* tidegate.own.windows.FrameFormatSuite\". Those of " +
      "published versions stay, and have to go on."
}
