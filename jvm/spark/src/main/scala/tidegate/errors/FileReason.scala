package tidegate.errors

import java.net.UnknownHostException
import java.nio.file.{AccessDeniedException, NoSuchFileException}

import org.apache.spark.SparkThrowable

/** Why files could not be read or written: a few words, without a class and without a trace. */
private[tidegate] object FileReason {

  /** Without a full stop. */
  def of(failure: Throwable): String = {
    // Some causes are circles.
    val causes = Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(MostCauses).toSeq
    causes.collectFirst(Function.unlift(known)).getOrElse {
      // Hadoop wraps what has happened into texts that repeat it.
      causes.reverse.flatMap(firstLine).headOption.getOrElse(failure.getClass.getSimpleName)
    }
  }

  private def known(failure: Throwable): Option[String] = failure match {
    case e: UnknownHostException  => firstLine(e).map(h => s"the host ${upToColon(h)} is not known")
    case e: AccessDeniedException => Some(s"access to ${e.getFile} is denied")
    case e: NoSuchFileException   => Some(s"there is no file ${e.getFile}")
    case e: SparkThrowable if Conditions.isOwn(e.asInstanceOf[Throwable]) =>
      firstLine(e.asInstanceOf[Throwable]).map(Around.replaceAllIn(_, "").stripSuffix("."))
    case _ => None
  }

  private def upToColon(text: String): String = text.takeWhile(_ != ':')

  private def firstLine(failure: Throwable): Option[String] =
    Option(failure.getMessage)
      .flatMap(_.linesIterator.map(_.trim.stripSuffix(".")).find(_.nonEmpty))
      .map(NotMade.replaceFirstIn(_, "the folder $1 cannot be made"))

  private val MostCauses = 20

  /** As Hadoop words it, with the folder in which the process was started. */
  private val NotMade = """^Mkdirs failed to create (.+) \(exists=\w+, cwd=.*\)$""".r

  /** The condition before the text of an error of ours, and the SQLSTATE behind it. */
  private val Around = """^\[\w+\] | SQLSTATE: \w+$""".r
}
