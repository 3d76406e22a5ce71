package tidegate.javaapi;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.spark.sql.Row;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import tidegate.plans.AsyncFunction;

/** A call as Spark's tasks make it. */
final class ScalaCall implements AsyncFunction {

  private static final long serialVersionUID = 1L;

  private final AsyncCall call;

  ScalaCall(AsyncCall call) {
    this.call = call;
  }

  @Override
  public void setup() {
    try {
      call.setup();
    } catch (Exception e) {
      throw ScalaCall.<RuntimeException>unchecked(e);
    }
  }

  @Override
  public Future<Row> call(Row row, tidegate.plans.CallKey key) {
    Promise<Row> answer = Promise.apply();
    try {
      CompletionStage<Row> stage =
          call.call(row, new CallKey(key.batch(), key.partition(), key.row()));
      if (stage == null) {
        throw new NullPointerException("the function returned null instead of a CompletionStage");
      }
      stage.whenComplete(
          (result, error) -> {
            if (error == null) {
              answer.trySuccess(result);
            } else {
              answer.tryFailure(cause(error));
            }
          });
    } catch (Exception e) {
      answer.tryFailure(e);
    }
    return answer.future();
  }

  @Override
  public void teardown() {
    try {
      call.teardown();
    } catch (Exception e) {
      throw ScalaCall.<RuntimeException>unchecked(e);
    }
  }

  /** What a stage that follows another one has wrapped. */
  private static Throwable cause(Throwable error) {
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }

  /** The same exception: Scala knows no checked ones. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }
}
