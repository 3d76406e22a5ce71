package tidegate.javaapi;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import tidegate.core.policy.EmissionSpec;
import tidegate.request.WatermarkArgument;
import tidegate.request.WatermarkRequest;

/**
 * The arguments that all watermarks have, beside the column. Each method returns a changed copy.
 *
 * @param <O> the options of one kind of watermark
 */
public abstract class WatermarkOptions<O extends WatermarkOptions<O>> {

  final WatermarkRequest request;

  WatermarkOptions(WatermarkRequest request) {
    this.request = request;
  }

  abstract O of(WatermarkRequest changed);

  <V> O with(WatermarkArgument<V> argument, V value) {
    return of(request.set(argument, value));
  }

  /** The watermark key, 0 to 127, by default 0: streams with one key share a notion of time. */
  public O key(int key) {
    return with(WatermarkArgument.Key(), key);
  }

  /** The columns whose values name a substream; none, the default: the stream is one substream. */
  public O substream(String... columns) {
    return substream(Arrays.asList(columns));
  }

  /** As {@link #substream(String...)}. */
  public O substream(List<String> columns) {
    return with(WatermarkArgument.Substream(), Converters.seq(columns));
  }

  /**
   * How long a substream may be without events, and without unread backlog, before it is idle and
   * left out of the minimum; wall-clock time, 1 ms or more. By default 60 seconds, and with append
   * times never: then rows of a substream that was left out may be late.
   */
  public O idleTimeout(String idleTimeout) {
    return with(WatermarkArgument.IdleTimeout(), idleTimeout);
  }

  /** As {@link #idleTimeout(String)}. */
  public O idleTimeout(Duration idleTimeout) {
    return idleTimeout(Converters.text(idleTimeout));
  }

  /**
   * Which advances become visible, as {@link Policies#byFrame(String)} says. By default: by the
   * frames of the windows downstream, or by frames of 1 second where there are no windows.
   */
  public O emission(EmissionSpec emission) {
    return with(WatermarkArgument.Emission(), emission);
  }

  /**
   * The name of the watermark, by which a restarted query finds its state; by default the name of
   * the column.
   */
  public O name(String name) {
    return with(WatermarkArgument.Name(), name);
  }

  /**
   * How far ahead of the wall clock an event may be, 0 or more: an event further ahead moves no
   * watermark and is counted. By default there is no limit.
   */
  public O maxFutureSkew(String maxFutureSkew) {
    return with(WatermarkArgument.MaxFutureSkew(), maxFutureSkew);
  }

  /** As {@link #maxFutureSkew(String)}. */
  public O maxFutureSkew(Duration maxFutureSkew) {
    return maxFutureSkew(Converters.text(maxFutureSkew));
  }

  /**
   * Whether event time ends together with a run with {@code Trigger.AvailableNow()}, by default
   * false: all windows close, and rows of a later run on the same checkpoint are late.
   */
  public O flush(boolean flush) {
    return with(WatermarkArgument.Flush(), flush);
  }

  /**
   * How long a substream may be without events before it is left out, if its watermark is behind
   * the highest one; wall-clock time, 1 ms or more. By default as long as {@code idleTimeout},
   * below which it has no effect. With append times it is also the {@code idleTimeout}, if there is
   * none.
   */
  public O idleBehind(String idleBehind) {
    return with(WatermarkArgument.IdleBehind(), idleBehind);
  }

  /** As {@link #idleBehind(String)}. */
  public O idleBehind(Duration idleBehind) {
    return idleBehind(Converters.text(idleBehind));
  }

  /**
   * The name of a table, which the query makes, or a folder (with a slash), to which the rows that
   * operators drop as late are written as Parquet files; by default
   * late rows are only counted.
   */
  public O lateRows(String lateRows) {
    return with(WatermarkArgument.LateRows(), lateRows);
  }

  /**
   * How much longer than the watermark says aggregations by windows take rows, in output mode update;
   * event time, 0 or more, by default no longer. Each late row in this time puts out a corrected row
   * of its window.
   */
  public O allowedLateness(String allowedLateness) {
    return with(WatermarkArgument.AllowedLateness(), allowedLateness);
  }

  /** As {@link #allowedLateness(String)}. */
  public O allowedLateness(Duration allowedLateness) {
    return allowedLateness(Converters.text(allowedLateness));
  }
}
