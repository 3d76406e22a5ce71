package tidegate.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;

/** Asks the server for the price of a row, with a client for each task that keeps connections. */
final class HttpPrices extends RichAsyncFunction<Long, Long> {
  private static final long serialVersionUID = 1;

  private final int port;
  private transient HttpClient client;

  HttpPrices(int port) {
    this.port = port;
  }

  @Override
  public void open(OpenContext context) {
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @Override
  public void asyncInvoke(Long id, ResultFuture<Long> result) {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/" + id)).build();
    client
        .sendAsync(request, BodyHandlers.ofString())
        .whenComplete(
            (response, error) -> {
              if (error == null) result.complete(List.of(Long.valueOf(response.body())));
              else result.completeExceptionally(error);
            });
  }
}
