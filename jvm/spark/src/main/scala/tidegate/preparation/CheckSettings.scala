package tidegate.preparation

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf
import tidegate.errors.NearName
import tidegate.settings.Settings

/**
 * Reads every setting when a query starts: a value that means nothing is refused then, and not by
 * the batch that asks for it; a name that means nothing is a warning, because another version may
 * have it.
 */
object CheckSettings extends Rule[LogicalPlan] with Logging {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStream =>
        unknown(conf).foreach(logWarning(_))
        if (QueryPreparation.isNeeded(w.inputQuery)) Settings.all.foreach(_.in(conf))
      case _ => ()
    }
    plan
  }

  /** A line for each setting of a session that has Tidegate's prefix and is none. */
  private[preparation] def unknown(conf: SQLConf): Seq[String] = {
    val known = Settings.all.map(_.key)
    conf.getAllConfs.keys.toSeq
      .filter(key => key.startsWith(Settings.Prefix) && !known.contains(key))
      .sorted
      .map { key =>
        s"Tidegate has no setting $key, so it has no effect. The nearest name is " +
          s"${NearName.nearest(key, known)}."
      }
  }
}
