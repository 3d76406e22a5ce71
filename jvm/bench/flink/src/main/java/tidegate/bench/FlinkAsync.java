package tidegate.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Flink's asynchronous I/O, on a cluster in this process that runs until stdin is closed.
 *
 * <p>For each line of stdin, {@code ordered} or {@code unordered}, a job asks for the prices of all
 * rows, and a line of stdout has its time in seconds and the sum of the prices.
 */
public final class FlinkAsync {
  private static final int PARALLELISM = 2;

  /** As that of {@code mapAsync}: no call takes so long. */
  private static final long TIMEOUT_SECONDS = 30;

  private final int port;
  private final long rows;
  private final int inFlight;

  private FlinkAsync(int port, long rows, int inFlight) {
    this.port = port;
    this.rows = rows;
    this.inFlight = inFlight;
  }

  /** Takes the port of the server, the number of rows, and that of calls in flight in a task. */
  public static void main(String[] arguments) throws Exception {
    var bench =
        new FlinkAsync(
            Integer.parseInt(arguments[0]),
            Long.parseLong(arguments[1]),
            Integer.parseInt(arguments[2]));
    var configuration =
        new MiniClusterConfiguration.Builder()
            .setNumTaskManagers(1)
            .setNumSlotsPerTaskManager(PARALLELISM)
            .build();
    try (var cluster = new MiniCluster(configuration)) {
      cluster.start();
      var lines = new BufferedReader(new InputStreamReader(System.in));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        long began = System.nanoTime();
        JobExecutionResult result = bench.run(cluster, line.equals("ordered"));
        double seconds = (System.nanoTime() - began) / 1e9;
        long sum = result.getAccumulatorResult(Total.NAME);
        System.out.println(seconds + " " + sum);
      }
    }
  }

  private JobExecutionResult run(MiniCluster cluster, boolean ordered) throws Exception {
    var environment = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
    environment.setParallelism(PARALLELISM);
    DataStream<Long> ids = environment.fromSequence(0, rows - 1);
    var prices = new HttpPrices(port);
    SingleOutputStreamOperator<Long> answers =
        ordered
            ? AsyncDataStream.orderedWait(
                ids, prices, TIMEOUT_SECONDS, TimeUnit.SECONDS, inFlight)
            : AsyncDataStream.unorderedWait(
                ids, prices, TIMEOUT_SECONDS, TimeUnit.SECONDS, inFlight);
    answers.map(new Total()).sinkTo(new DiscardingSink<>());
    return cluster.executeJobBlocking(environment.getStreamGraph().getJobGraph());
  }
}
