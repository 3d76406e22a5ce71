package tidegate.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/**
 * Flink SQL over the streams of benchmarks, on a cluster in this process that runs until stdin is
 * closed.
 *
 * <p>A line of stdin is one run, its words separated by tabs:
 *
 * <pre>
 * whole QUERY STATE FOLDER...
 * held QUERY STATE LOADED ROWS FOLDER...
 * each QUERY STATE LOADED ROWS FOLDER...
 * </pre>
 *
 * <p>{@code whole} runs a query over all files, from its planning to its end. The others let it
 * read the first file of each folder, which have {@code LOADED} rows together, and measure what
 * comes after; the other files have {@code ROWS} rows together. With {@code held} they appear all
 * at once, and the time ends when a checkpoint has their rows. With {@code each} the next file of
 * each folder appears when a checkpoint has the rows of those before.
 *
 * <p>The line of stdout has the seconds of wall time, those of processor time, and the number of
 * result rows. For {@code held} the seconds of the checkpoint come next, which are part of the wall
 * time, and for {@code each} those of each file with its checkpoint.
 */
public final class FlinkStreams {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final MiniCluster cluster;

  private FlinkStreams(MiniCluster cluster) {
    this.cluster = cluster;
  }

  /** Runs what stdin asks for. */
  public static void main(String[] arguments) throws Exception {
    try (var cluster = cluster()) {
      cluster.start();
      var bench = new FlinkStreams(cluster);
      var lines = new BufferedReader(new InputStreamReader(System.in));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(bench.run(List.of(line.split("\t"))));
      }
    }
  }

  /** A cluster in this process, which is not started. */
  static MiniCluster cluster() {
    var configuration = new Configuration();
    // Of RocksDB, and of the buffers of the windows; Flink's default in a test cluster is less.
    configuration.setString("taskmanager.memory.managed.size", "1g");
    configuration.setString("taskmanager.memory.network.min", "128m");
    configuration.setString("taskmanager.memory.network.max", "128m");
    OperatorCounts.configure(configuration);
    return new MiniCluster(
        new MiniClusterConfiguration.Builder()
            .setConfiguration(configuration)
            .setNumTaskManagers(1)
            .setNumSlotsPerTaskManager(StreamJob.PARALLELISM)
            .build());
  }

  private String run(List<String> words) throws Exception {
    StreamQuery query = StreamQuery.valueOf(words.get(1).toUpperCase(Locale.ROOT));
    // The garbage of the run before is not this run's.
    System.gc();
    OperatorCounts.forget();
    try (var job = new StreamJob(cluster, query, words.get(2))) {
      return switch (words.get(0)) {
        case "whole" -> whole(job, folders(words.stream().skip(3)));
        case "held", "each" ->
            changes(
                job,
                words.get(0).equals("each"),
                Long.parseLong(words.get(3)),
                Long.parseLong(words.get(4)),
                folders(words.stream().skip(5)));
        default -> throw new IllegalArgumentException(words.get(0) + " is not whole, held or each");
      };
    }
  }

  private static List<Path> folders(Stream<String> names) {
    return names.map(Path::of).toList();
  }

  private static String whole(StreamJob job, List<Path> folders) throws Exception {
    var clock = new Clock();
    job.runToEnd(folders);
    return clock.read(List.of());
  }

  private static String changes(
      StreamJob job, boolean each, long loaded, long rows, List<Path> folders) throws Exception {
    try (var files = new ArrivingFiles(folders)) {
      files.link(0);
      job.start(files.folders());
      job.awaitRunning();
      job.awaitRead(loaded);
      job.checkpoint();
      var clock = new Clock();
      var taken = new ArrayList<Long>();
      int changes = files.count() - 1;
      for (int i = 1; i <= changes; i++) {
        long began = System.nanoTime();
        // In their order: whoever looks at the folder earlier sees fewer.
        files.link(i);
        if (each) {
          job.awaitRead(loaded + rows / changes * i);
          job.checkpoint();
          taken.add(System.nanoTime() - began);
        }
      }
      if (!each) {
        job.awaitRead(loaded + rows);
        long read = System.nanoTime();
        job.checkpoint();
        taken.add(System.nanoTime() - read);
      }
      return clock.read(taken);
    }
  }

  /** The time since it was made. */
  private static final class Clock {
    private final long processor = PROCESS.getProcessCpuTime();
    private final long start = System.nanoTime();

    /** The line of stdout, with times in nanoseconds that are part of it. */
    String read(List<Long> parts) {
      double wall = (System.nanoTime() - start) / 1e9;
      double cpu = (PROCESS.getProcessCpuTime() - processor) / 1e9;
      var line = new StringBuilder(wall + " " + cpu + " " + OperatorCounts.written());
      parts.forEach(nanos -> line.append(' ').append(nanos / 1e9));
      return line.toString();
    }
  }
}
