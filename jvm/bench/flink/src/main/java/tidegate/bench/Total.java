package tidegate.bench;

import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Adds up the prices, so that wrong answers are noticed. */
final class Total extends RichMapFunction<Long, Long> {
  static final String NAME = "total";

  private static final long serialVersionUID = 1;

  private final LongCounter total = new LongCounter();

  @Override
  public void open(OpenContext context) {
    getRuntimeContext().addAccumulator(NAME, total);
  }

  @Override
  public Long map(Long price) {
    total.add(price);
    return price;
  }
}
