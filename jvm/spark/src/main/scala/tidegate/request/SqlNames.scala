package tidegate.request

import java.util.Locale

/** Names of methods and arguments as they are usual in SQL: `idle_timeout` for `idleTimeout`. */
private[tidegate] object SqlNames {

  def of(name: String): String = name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT)

  /** The known name that is meant; also without underscores and in other capitals. */
  def find(known: Seq[String], written: String): Option[String] =
    known.find(_.equalsIgnoreCase(written.replace("_", "")))
}
