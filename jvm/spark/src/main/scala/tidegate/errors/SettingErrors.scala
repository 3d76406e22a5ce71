package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.error

/** Errors of settings. */
object SettingErrors {

  def invalidSetting(setting: String, found: String, wanted: String): AnalysisException =
    error("INVALID_SETTING", "setting" -> setting, "found" -> found, "wanted" -> wanted)
}
