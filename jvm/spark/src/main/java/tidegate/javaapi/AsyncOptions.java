package tidegate.javaapi;

import java.time.Duration;
import java.util.function.Consumer;
import tidegate.settings.Defaults;

/**
 * The arguments of {@link Tidegate#mapAsync} that have defaults. Each method returns a changed
 * copy.
 *
 * <pre>{@code
 * AsyncOptions.defaults().ordered(false).maxInFlight(200).timeout("2 seconds").retries(5);
 * }</pre>
 */
public final class AsyncOptions implements Cloneable {

  boolean ordered = true;
  int maxInFlight = Defaults.MaxInFlight();
  String timeout = Defaults.CallTimeout();
  int retries = Defaults.Retries();
  String onError = "fail";
  String deadLetters;
  int breakAfter = Defaults.BreakAfter();
  String name;

  private AsyncOptions() {}

  /** All arguments with their defaults. */
  public static AsyncOptions defaults() {
    return new AsyncOptions();
  }

  /**
   * Whether rows leave in the order in which they came, by default true. Otherwise they leave as
   * soon as they have their answers.
   */
  public AsyncOptions ordered(boolean ordered) {
    return with(o -> o.ordered = ordered);
  }

  /** The largest number of calls in flight in a task, 1 or more; by default 100. */
  public AsyncOptions maxInFlight(int maxInFlight) {
    return with(o -> o.maxInFlight = maxInFlight);
  }

  /**
   * How long an attempt may take, and each of {@code setup} and {@code teardown}, 1 ms or more; by
   * default 30 seconds.
   */
  public AsyncOptions timeout(String timeout) {
    return with(o -> o.timeout = timeout);
  }

  /** As {@link #timeout(String)}. */
  public AsyncOptions timeout(Duration timeout) {
    return timeout(Converters.text(timeout));
  }

  /** An attempt may take for ever. */
  public AsyncOptions noTimeout() {
    return with(o -> o.timeout = null);
  }

  /**
   * How often a failed call is made again, 0 or more, by default 2: after a random pause of up to
   * 0.1 s, then up to 0.2 s and so on, up to 10 s.
   */
  public AsyncOptions retries(int retries) {
    return with(o -> o.retries = retries);
  }

  /** A row whose call has failed for good is null in the columns that the input does not have. */
  public AsyncOptions onErrorNull() {
    return with(
        o -> {
          o.onError = "null";
          o.deadLetters = null;
        });
  }

  /**
   * A row whose call has failed for good is written to a folder, and left out. By default the query
   * fails.
   *
   * @param folder in any file system that Spark can write to, also one of other queries
   */
  public AsyncOptions onErrorDeadLetter(String folder) {
    return with(
        o -> {
          o.onError = "dead letter";
          o.deadLetters = folder;
        });
  }

  /** After how many failed calls in a row, in one task, the query fails anyway; by default 100. */
  public AsyncOptions breakAfter(int breakAfter) {
    return with(o -> o.breakAfter = breakAfter);
  }

  /** The name of the function in messages and plans; by default the name of its class. */
  public AsyncOptions name(String name) {
    return with(o -> o.name = name);
  }

  private AsyncOptions with(Consumer<AsyncOptions> change) {
    try {
      AsyncOptions copy = (AsyncOptions) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
