package tidegate.plans

import scala.util.Try

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf
import tidegate.TidegateErrors

/** The settings of a session for sliding windows. */
object FrameSettings {

  /** Whether they are put together from frames; `true` by default. */
  val Enabled = "spark.tidegate.frames.enabled"

  /**
   * How much of a batch a task groups by keys at once, in bytes of partially aggregated rows or
   * with a unit, such as `64m`, the default. What is more takes another round.
   */
  val MaxInputBytes = "spark.tidegate.frames.maxInputBytes"

  def isEnabled(conf: SQLConf): Boolean = {
    val value = conf.getConfString(Enabled, "true")
    value.toBooleanOption.getOrElse(
      throw TidegateErrors.invalidSetting(Enabled, value, "'true' or 'false'")
    )
  }

  def maxInputBytes(conf: SQLConf): Long = {
    val value = conf.getConfString(MaxInputBytes, "64m")
    Try(JavaUtils.byteStringAsBytes(value)).toOption.filter(_ > 0).getOrElse {
      throw TidegateErrors.invalidSetting(MaxInputBytes, value, "a positive size such as '64m'")
    }
  }
}
