package tidegate.settings

import org.apache.spark.sql.internal.SQLConf
import tidegate.errors.SettingErrors

/**
 * A setting of a session.
 *
 * @param key
 *   its full name, `spark.tidegate...`
 * @param default
 *   its value, as text, if the session has none
 * @param wanted
 *   which values it accepts: the end of the sentence "it must be ..."
 * @param doc
 *   what the setting does, for the page of settings
 * @param read
 *   the value of a text; `None` if the text is not valid
 */
final case class Setting[T](key: String, default: String, wanted: String, doc: String)(
    read: String => Option[T]
) {

  /**
   * The value in a session.
   *
   * @throws AnalysisException
   *   `TIDEGATE_INVALID_SETTING` if the session has a text that is not valid
   */
  def in(conf: SQLConf): T = {
    val text = conf.getConfString(key, default)
    read(text.trim).getOrElse(throw SettingErrors.invalidSetting(key, text, wanted))
  }
}
