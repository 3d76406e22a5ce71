package tidegate.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The queries of Nexmark in Flink SQL, on a cluster in this process that runs until stdin is
 * closed.
 *
 * <p>A line of stdin is one run, {@code FOLDER DATA KEYS} with tabs between. The folder has the
 * query in {@code query.sql}, and gets its rows and checkpoints. The data are a folder of files for
 * each stream. The keys of a query that updates its rows have commas between; without them it may
 * not update any.
 *
 * <p>The line of stdout has the seconds of wall time, those of processor time, and the bytes of the
 * largest checkpoint.
 */
public final class FlinkNexmark {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** One watermark for all substreams, so it waits for the slow one. */
  private static final String WATERMARK = "`dateTime` - INTERVAL '25' SECOND";

  private final Path folder;
  private final Path data;
  private final List<String> keys;
  private final String sql;

  private FlinkNexmark(List<String> words) throws Exception {
    folder = Path.of(words.get(0));
    data = Path.of(words.get(1));
    keys = words.size() > 2 ? List.of(words.get(2).split(",")) : List.of();
    sql = Files.readString(folder.resolve("query.sql"));
  }

  /** Runs what stdin asks for. */
  public static void main(String[] arguments) throws Exception {
    try (var cluster = FlinkStreams.cluster()) {
      cluster.start();
      var lines = new BufferedReader(new InputStreamReader(System.in));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // The garbage of the run before is not this run's.
        System.gc();
        System.out.println(new FlinkNexmark(List.of(line.split("\t"))).run(cluster));
      }
    }
  }

  private String run(MiniCluster cluster) throws Exception {
    long processor = PROCESS.getProcessCpuTime();
    long start = System.nanoTime();
    JobGraph graph = graph();
    cluster.executeJobBlocking(graph);
    double wall = (System.nanoTime() - start) / 1e9;
    double cpu = (PROCESS.getProcessCpuTime() - processor) / 1e9;
    var checkpoints =
        cluster.getExecutionGraph(graph.getJobID()).get().getCheckpointStatsSnapshot();
    return wall + " " + cpu + " " + checkpoints.getSummaryStats().getStateSizeStats().getMaximum();
  }

  private JobGraph graph() {
    var configuration = StreamJob.configuration("hashmap", folder.resolve("checkpoint"));
    configuration.setString("execution.checkpointing.interval", "1s");
    var environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(StreamJob.PARALLELISM);
    var tables = StreamTableEnvironment.create(environment);
    tables.getConfig().set("table.local-time-zone", "UTC");
    for (var stream : NexmarkStream.values()) {
      add(environment, tables, stream);
    }
    Table result = tables.sqlQuery(sql);
    var sink =
        TableDescriptor.forConnector(NumberedFiles.NAME)
            .schema(schema(result))
            .option(NumberedFiles.PATH, folder.resolve("rows").toUri().toString())
            .build();
    tables.createStatementSet().addInsert(sink, result).attachAsDataStream();
    return environment.getStreamGraph().getJobGraph();
  }

  private Schema schema(Table result) {
    var schema = Schema.newBuilder();
    for (var column : result.getResolvedSchema().getColumns()) {
      boolean isKey = keys.contains(column.getName());
      DataType type = column.getDataType();
      schema.column(column.getName(), isKey ? type.notNull() : type);
    }
    if (!keys.isEmpty()) {
      schema.primaryKey(keys);
    }
    return schema.build();
  }

  /** Adds a table with the columns that the query names: Flink does not ask a stream for fewer. */
  private void add(
      StreamExecutionEnvironment environment, StreamTableEnvironment tables, NexmarkStream stream) {
    var fields =
        stream.columns.stream()
            .filter(c -> Pattern.compile("\\b" + c.getName() + "\\b").matcher(sql).find())
            .toList();
    var columns = (RowType) DataTypes.ROW(fields).getLogicalType();
    var rows =
        environment.fromSource(
            OrderedFiles.read(data.resolve(stream.name()), columns, false),
            WatermarkStrategy.noWatermarks(),
            stream.name());
    var schema = Schema.newBuilder();
    fields.forEach(field -> schema.column(field.getName(), field.getDataType()));
    if (columns.getFieldNames().contains("dateTime")) {
      schema.watermark("dateTime", WATERMARK);
    }
    tables.createTemporaryView(stream.name(), rows, schema.build());
  }
}
