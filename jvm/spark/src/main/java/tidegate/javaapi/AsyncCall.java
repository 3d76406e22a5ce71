package tidegate.javaapi;

import java.io.Serializable;
import java.util.concurrent.CompletionStage;
import org.apache.spark.sql.Row;

/**
 * A function that answers rows later, for {@link Tidegate#mapAsync}. Each task has a copy of its
 * own, which is set up before its first call and torn down after its last one.
 */
@FunctionalInterface
public interface AsyncCall extends Serializable {

  /** Begins a call, and returns its answer to come; the method must not wait for the answer. */
  CompletionStage<Row> call(Row row, CallKey key) throws Exception;

  /** Opens what the calls of a task need, such as a connection. */
  default void setup() throws Exception {}

  /** Closes what {@link #setup} has opened. */
  default void teardown() throws Exception {}
}
