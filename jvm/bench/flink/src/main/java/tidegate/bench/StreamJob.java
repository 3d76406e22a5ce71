package tidegate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.util.FileUtils;

/** One run of a query over folders of files, with a checkpoint every two seconds. */
final class StreamJob implements AutoCloseable {
  static final int PARALLELISM = 2;

  private static final long POLL_MS = 2;

  private final MiniCluster cluster;
  private final StreamQuery query;
  private final String state;
  private final Path checkpoints = Files.createTempDirectory("bench-flink-checkpoints");
  private JobID id;
  private CompletableFuture<JobResult> end;

  /** The state is {@code hashmap} or {@code rocksdb}. */
  StreamJob(MiniCluster cluster, StreamQuery query, String state) throws IOException {
    this.cluster = cluster;
    this.query = query;
    this.state = state;
  }

  /** Runs until all files have been read and all results written. */
  void runToEnd(List<Path> folders) throws Exception {
    cluster.executeJobBlocking(graph(folders, false));
  }

  /** Starts a run that reads also files that come later; {@link #close()} ends it. */
  void start(List<Path> folders) throws Exception {
    id = cluster.submitJob(graph(folders, true)).get().getJobID();
    end = cluster.requestJobResult(id);
  }

  /** Waits until all tasks run: no checkpoint can begin before, though rows are read. */
  void awaitRunning() throws Exception {
    while (!isRunning()) {
      pause();
    }
  }

  private boolean isRunning() throws Exception {
    AccessExecutionGraph graph = cluster.getExecutionGraph(id).get();
    boolean running = graph.getState() == JobStatus.RUNNING;
    // A graph that is not initialized has no tasks.
    for (var task : graph.getAllExecutionVertices()) {
      running &= task.getExecutionState() == ExecutionState.RUNNING;
    }
    return running;
  }

  /** Waits until the sources have passed on so many rows since the start. */
  void awaitRead(long rows) throws Exception {
    while (OperatorCounts.read() < rows) {
      pause();
    }
  }

  private void pause() throws Exception {
    if (end.isDone()) {
      throw new IllegalStateException("the job has ended: " + end.get());
    }
    Thread.sleep(POLL_MS);
  }

  /**
   * Takes a checkpoint, which has all rows that the sources have passed on: only then are these
   * rows in the state. A window may have rows in a buffer before.
   */
  void checkpoint() throws Exception {
    cluster.triggerCheckpoint(id, CheckpointType.CONFIGURED).get();
  }

  @Override
  public void close() throws IOException, InterruptedException, ExecutionException {
    if (end != null) {
      cluster.cancelJob(id).get();
      end.get();
    }
    FileUtils.deleteDirectory(checkpoints.toFile());
  }

  private JobGraph graph(List<Path> folders, boolean follows) {
    var settings = configuration(state, checkpoints);
    var environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
    environment.setParallelism(PARALLELISM);
    var tables = StreamTableEnvironment.create(environment);
    tables.getConfig().set("table.local-time-zone", "UTC");
    query.configure(tables.getConfig());
    for (int i = 0; i < folders.size(); i++) {
      add(environment, tables, folders.get(i), query.streams.get(i), follows);
    }
    Table result = tables.sqlQuery(query.sql);
    var sink =
        TableDescriptor.forConnector("blackhole")
            .schema(Schema.newBuilder().fromResolvedSchema(result.getResolvedSchema()).build())
            .build();
    tables.createStatementSet().addInsert(sink, result).attachAsDataStream();
    return environment.getStreamGraph().getJobGraph();
  }

  /** The settings of a job with this state, whose checkpoints are in this folder. */
  static Configuration configuration(String state, Path checkpoints) {
    var configuration = new Configuration();
    configuration.setString("state.backend.type", state);
    configuration.setString("execution.checkpointing.interval", "2s");
    configuration.setString("execution.checkpointing.dir", checkpoints.toUri().toString());
    configuration.setString("execution.checkpointing.incremental", "true");
    configuration.setString("pipeline.object-reuse", "true");
    // By default a job that fails begins again, for ever.
    configuration.setString("restart-strategy.type", "none");
    return configuration;
  }

  private static void add(
      StreamExecutionEnvironment environment,
      StreamTableEnvironment tables,
      Path folder,
      StreamQuery.Stream stream,
      boolean follows) {
    var rows =
        environment.fromSource(
            OrderedFiles.read(folder, stream, follows),
            WatermarkStrategy.noWatermarks(),
            stream.name());
    if (follows) {
      // A second reader would read the files after the first one while that is being read.
      rows.setParallelism(1);
    }
    String time = "TO_TIMESTAMP_LTZ(`%s`, 3)".formatted(stream.time());
    tables.createTemporaryView(
        stream.name(),
        rows,
        Schema.newBuilder()
            .columnByExpression("rt", time)
            .watermark("rt", "rt - INTERVAL '2' SECOND")
            .build());
  }
}
