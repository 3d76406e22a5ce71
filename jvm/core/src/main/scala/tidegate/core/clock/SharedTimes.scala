package tidegate.core.clock

import java.util.IdentityHashMap

import scala.collection.mutable

/**
 * Makes equal times one object. The times of chained joins contain the same parts many times, and
 * each further join would double the time to compare them part by part.
 */
private[clock] final class SharedTimes {

  private val known = mutable.HashMap.empty[InputTime, InputTime]

  def apply(time: InputTime): InputTime = {
    val visited = new IdentityHashMap[InputTime, InputTime]
    def shared(time: InputTime): InputTime = {
      if (!visited.containsKey(time)) {
        val made = time match {
          case node: NodeTime            => node
          case CoalescedTime(inputs)     => CoalescedTime(inputs.map(shared))
          case GridTime(input, grid)     => GridTime(shared(input), grid)
          case BehindTime(input, byMs)   => BehindTime(shared(input), byMs)
          case TightestTime(inputs)      => TightestTime(inputs.map(shared))
          case JoinTime(inputs, ofSides) => JoinTime(inputs.map(shared), ofSides.map(shared))
        }
        visited.put(time, known.getOrElseUpdate(made, made))
      }
      visited.get(time)
    }
    shared(time)
  }

  def apply(query: QuerySpec): QuerySpec = query.copy(
    operators = query.operators.map { operator =>
      operator.copy(input = apply(operator.input), eviction = operator.eviction.map(apply(_)))
    },
    asked = query.asked.map(apply(_))
  )
}
