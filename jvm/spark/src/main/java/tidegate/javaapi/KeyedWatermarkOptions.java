package tidegate.javaapi;

import java.time.Duration;
import tidegate.core.policy.PolicySpec;
import tidegate.request.WatermarkArgument;
import tidegate.request.WatermarkRequest;

/**
 * The arguments of {@link Tidegate#withKeyedWatermark}, beside the column. Begin with a lag or a
 * policy; each method returns a changed copy.
 *
 * <pre>{@code
 * KeyedWatermarkOptions.lag("5 seconds").key(1).substream("topic", "partition").name("orders");
 * }</pre>
 */
public final class KeyedWatermarkOptions extends WatermarkOptions<KeyedWatermarkOptions> {

  private KeyedWatermarkOptions(WatermarkRequest request) {
    super(request);
  }

  @Override
  KeyedWatermarkOptions of(WatermarkRequest changed) {
    return new KeyedWatermarkOptions(changed);
  }

  /**
   * The watermark stays this far behind the highest event time; short for the policy {@link
   * Policies#fixedLag(String)}.
   *
   * @param lag event time, 0 or more, such as {@code "5 seconds"}
   */
  public static KeyedWatermarkOptions lag(String lag) {
    return policy(Policies.fixedLag(lag));
  }

  /** As {@link #lag(String)}. */
  public static KeyedWatermarkOptions lag(Duration lag) {
    return policy(Policies.fixedLag(lag));
  }

  /**
   * How the watermark of a substream follows its events and the wall clock.
   *
   * @param policy a policy from {@link Policies}
   */
  public static KeyedWatermarkOptions policy(PolicySpec policy) {
    if (policy == null) {
      throw new NullPointerException(
          "policy must be a policy such as Policies.fixedLag(\"5 seconds\"), found null.");
    }
    return new KeyedWatermarkOptions(WatermarkRequest.none().set(WatermarkArgument.Policy(), policy));
  }

  /** No substream becomes idle: the watermark waits for all of them, for ever. */
  public KeyedWatermarkOptions neverIdle() {
    return with(WatermarkArgument.IdleTimeout(), null);
  }
}
