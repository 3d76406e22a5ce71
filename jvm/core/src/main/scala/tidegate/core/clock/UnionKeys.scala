package tidegate.core.clock

import scala.collection.mutable

/**
 * The keys under which a checkpoint holds the values of unions. The first union in an operator has
 * the name of the operator as its key, the next one `name#2`; unions of the operator's input come
 * before unions of its eviction. If functions of the query ask for a union, its key has the names
 * of its watermark nodes, as in `function(orders, deliveries)`.
 *
 * In a running query a union has one value, shared by all operators and functions that use it.
 */
private[clock] final class UnionKeys(spec: QuerySpec) {

  private val byKey: Seq[(String, CoalescedTime)] = {
    val used =
      spec.operators.map(op => op.name -> UnionKeys.unionsIn(op.input +: op.eviction.toSeq))
    val asked = UnionKeys.unionsIn(spec.asked).groupBy(_.nodes.mkString("function(", ", ", ")"))
    (used ++ asked.toSeq.sortBy(_._1)).flatMap { case (user, unions) =>
      unions.zipWithIndex.map { case (union, i) =>
        (if (i == 0) user else s"$user#${i + 1}") -> union
      }
    }
  }

  /** The value of each union, from the values in a checkpoint. */
  def read(saved: Map[String, Long]): Map[CoalescedTime, Long] =
    byKey
      .flatMap { case (key, union) => saved.get(key).map(union -> _) }
      .groupMapReduce(_._1)(_._2)(math.max)

  /** The values for a checkpoint, by key. */
  def write(values: collection.Map[CoalescedTime, Long]): Map[String, Long] =
    byKey.flatMap { case (key, union) => values.get(union).map(key -> _) }.toMap
}

private[clock] object UnionKeys {

  /** The unions in some times, each once, an outer union before the unions inside it. */
  private def unionsIn(times: Seq[InputTime]): Seq[CoalescedTime] = {
    val seen = mutable.LinkedHashSet.empty[InputTime]
    def visit(time: InputTime): Unit = if (seen.add(time)) time match {
      case JoinTime(inputs, sides) => (inputs ++ sides).foreach(visit)
      case other                   => other.inputs.foreach(visit)
    }
    times.foreach(visit)
    seen.toSeq.collect { case union: CoalescedTime => union }
  }
}
