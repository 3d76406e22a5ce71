package tidegate.settings

import org.apache.spark.sql.internal.SQLConf
import tidegate.errors.SettingErrors

/**
 * A setting of a session.
 *
 * @param key
 *   its full name, `spark.tidegate...`
 * @param default
 *   its value as text where the session has none
 * @param wanted
 *   which values it takes: the end of the sentence "it must be ..."
 * @param doc
 *   what it does, for the page of settings
 * @param read
 *   the value that a text means; `None` if it means none
 */
final case class Setting[T](key: String, default: String, wanted: String, doc: String)(
    read: String => Option[T]
) {

  /**
   * The value in a session.
   *
   * @throws AnalysisException
   *   `TIDEGATE_INVALID_SETTING` if the session has a text that means no value
   */
  def in(conf: SQLConf): T = {
    val text = conf.getConfString(key, default)
    read(text.trim).getOrElse(throw SettingErrors.invalidSetting(key, text, wanted))
  }
}
