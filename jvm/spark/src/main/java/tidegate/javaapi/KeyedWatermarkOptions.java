package tidegate.javaapi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import tidegate.core.policy.EmissionSpec;
import tidegate.core.policy.PolicySpec;
import tidegate.settings.Defaults;

/**
 * The arguments of {@link Tidegate#withKeyedWatermark}, beside the column. Begin with a lag or a
 * policy; each method returns a changed copy.
 *
 * <pre>{@code
 * KeyedWatermarkOptions.lag("5 seconds").key(1).substream("topic", "partition").name("orders");
 * }</pre>
 */
public final class KeyedWatermarkOptions implements Cloneable {

  final PolicySpec policy;
  int key = 0;
  List<String> substream = List.of();
  String idleTimeout = Defaults.IdleTimeout();
  EmissionSpec emission;
  String name;
  String maxFutureSkew;
  boolean flush;
  String idleBehind;
  String lateRows;
  String allowedLateness;

  private KeyedWatermarkOptions(PolicySpec policy) {
    this.policy = policy;
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
    return new KeyedWatermarkOptions(policy);
  }

  /** The watermark key, 0 to 127, by default 0: streams with one key share a notion of time. */
  public KeyedWatermarkOptions key(int key) {
    return with(o -> o.key = key);
  }

  /** The columns whose values name a substream; none, the default: the stream is one substream. */
  public KeyedWatermarkOptions substream(String... columns) {
    return with(o -> o.substream = Arrays.asList(columns.clone()));
  }

  /** As {@link #substream(String...)}. */
  public KeyedWatermarkOptions substream(List<String> columns) {
    return with(o -> o.substream = new ArrayList<>(columns));
  }

  /**
   * How long a substream may be without events, and without unread backlog, before it is idle and
   * left out of the minimum; wall-clock time, 1 ms or more, by default 60 seconds.
   */
  public KeyedWatermarkOptions idleTimeout(String idleTimeout) {
    return with(o -> o.idleTimeout = idleTimeout);
  }

  /** As {@link #idleTimeout(String)}. */
  public KeyedWatermarkOptions idleTimeout(Duration idleTimeout) {
    return idleTimeout(Texts.of(idleTimeout));
  }

  /** No substream becomes idle: the watermark waits for all of them, for ever. */
  public KeyedWatermarkOptions neverIdle() {
    return with(o -> o.idleTimeout = null);
  }

  /**
   * Which advances become visible, as {@link Policies#byFrame(String)} says. By default: by the
   * frames of the windows downstream, or by frames of 1 second where there are no windows.
   */
  public KeyedWatermarkOptions emission(EmissionSpec emission) {
    return with(o -> o.emission = emission);
  }

  /**
   * The name of the watermark, by which a restarted query finds its state; by default the name of
   * the column.
   */
  public KeyedWatermarkOptions name(String name) {
    return with(o -> o.name = name);
  }

  /**
   * How far ahead of the wall clock an event may be, 0 or more: an event further ahead moves no
   * watermark and is counted. By default there is no limit.
   */
  public KeyedWatermarkOptions maxFutureSkew(String maxFutureSkew) {
    return with(o -> o.maxFutureSkew = maxFutureSkew);
  }

  /** As {@link #maxFutureSkew(String)}. */
  public KeyedWatermarkOptions maxFutureSkew(Duration maxFutureSkew) {
    return maxFutureSkew(Texts.of(maxFutureSkew));
  }

  /**
   * Whether event time ends together with a run with {@code Trigger.AvailableNow()}, by default
   * false: all windows close, and rows of a later run on the same checkpoint are late.
   */
  public KeyedWatermarkOptions flush(boolean flush) {
    return with(o -> o.flush = flush);
  }

  /**
   * How long a substream may be without events before it is left out, if its watermark is behind
   * the highest one; wall-clock time, 1 ms or more. By default as long as {@code idleTimeout},
   * below which it has no effect.
   */
  public KeyedWatermarkOptions idleBehind(String idleBehind) {
    return with(o -> o.idleBehind = idleBehind);
  }

  /** As {@link #idleBehind(String)}. */
  public KeyedWatermarkOptions idleBehind(Duration idleBehind) {
    return idleBehind(Texts.of(idleBehind));
  }

  /**
   * The name of a table, which the query makes, or a folder (with a slash), to which the rows that
   * operators drop as late are written as Parquet files; by default
   * late rows are only counted.
   */
  public KeyedWatermarkOptions lateRows(String lateRows) {
    return with(o -> o.lateRows = lateRows);
  }

  /**
   * How much longer than the watermark says aggregations by windows take rows, in output mode update;
   * event time, 0 or more, by default no longer. Each late row in this time puts out a corrected row
   * of its window.
   */
  public KeyedWatermarkOptions allowedLateness(String allowedLateness) {
    return with(o -> o.allowedLateness = allowedLateness);
  }

  /** As {@link #allowedLateness(String)}. */
  public KeyedWatermarkOptions allowedLateness(Duration allowedLateness) {
    return allowedLateness(Texts.of(allowedLateness));
  }

  private KeyedWatermarkOptions with(Consumer<KeyedWatermarkOptions> change) {
    try {
      KeyedWatermarkOptions copy = (KeyedWatermarkOptions) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
