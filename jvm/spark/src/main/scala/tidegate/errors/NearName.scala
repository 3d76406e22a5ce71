package tidegate.errors

import java.util.Locale

import org.apache.spark.unsafe.types.UTF8String

/** Names that were probably meant by a misspelt one. */
private[tidegate] object NearName {

  private val MostTypos = 2

  /** A shorter name may have fewer typos. */
  private val LettersForTypo = 3

  /** The nearest of the known names, if it is near: capitals and underscores do not count. */
  def of(found: String, known: Seq[String]): Option[String] = {
    val word = plain(found)
    known
      .map(name => name -> distance(word, plain(name)))
      .filter { case (name, typos) => typos <= MostTypos.min(plain(name).length / LettersForTypo) }
      .minByOption(_._2)
      .map(_._1)
  }

  /** The nearest of the known names, however far it is. */
  def nearest(found: String, known: Seq[String]): String =
    known.minBy(name => distance(found.toLowerCase(Locale.ROOT), name))

  /** How many letters have to be changed; two letters that changed their places are one. */
  def distance(a: String, b: String): Int = {
    val swapped = a.length == b.length && a.indices.drop(1).exists { i =>
      a.patch(i - 1, s"${a(i)}${a(i - 1)}", 2) == b
    }
    if (a == b) 0
    else if (swapped) 1
    else UTF8String.fromString(a).levenshteinDistance(UTF8String.fromString(b))
  }

  private def plain(name: String): String = name.replace("_", "").toLowerCase(Locale.ROOT)
}
