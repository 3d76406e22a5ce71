package tidegate.clock

/**
 * Names for gauges. Sinks of metrics have signs of their own: a dot ends a group of metrics, and
 * Prometheus knows letters, digits and `_` alone, so that two names could become one there.
 */
private[clock] object GaugeNames {

  /** Each name with one that is safe; equal ones have a number. */
  def unique(names: Seq[String]): Seq[(String, String)] =
    names
      .foldLeft(Vector.empty[(String, String)]) { (done, name) =>
        val plain = name.replaceAll("[^A-Za-z0-9_-]", "_")
        val taken = done.map(d => atPrometheus(d._2)).toSet
        val free = Iterator(plain) ++ Iterator.from(2).map(n => s"$plain-$n")
        done :+ (name -> free.find(n => !taken(atPrometheus(n))).get)
      }

  private def atPrometheus(name: String): String = name.replaceAll("[^A-Za-z0-9]", "_")
}
