package tidegate.javaapi;

import java.util.Map;

/**
 * The watermarks of a query, and of its stateful operators.
 *
 * @param watermarks the keyed watermarks, by the name that they were given
 * @param operators the stateful operators, by names such as {@code aggregate}. A join has one for
 *     each side, {@code join.left} and {@code join.right}
 */
public record QueryWatermarks(
    Map<String, WatermarkStatus> watermarks, Map<String, OperatorStatus> operators) {

  static QueryWatermarks of(tidegate.QueryWatermarks query) {
    return new QueryWatermarks(
        Converters.map(query.watermarks(), WatermarkStatus::of),
        Converters.map(query.operators(), OperatorStatus::of));
  }
}
