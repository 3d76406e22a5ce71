package tidegate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.util.FileUtils;

/** Folders whose files appear when they are told to, as links to the files of other folders. */
final class ArrivingFiles implements AutoCloseable {
  private final Path parent = Files.createTempDirectory("bench-flink");
  private final List<Path> targets = new ArrayList<>();
  private final List<List<Path>> files = new ArrayList<>();

  ArrivingFiles(List<Path> folders) throws IOException {
    for (Path folder : folders) {
      targets.add(Files.createDirectory(parent.resolve(String.valueOf(targets.size()))));
      try (Stream<Path> all = Files.list(folder)) {
        files.add(all.filter(f -> f.toString().endsWith(".parquet")).sorted().toList());
      }
    }
  }

  /** In the order of the folders that they have their files from. */
  List<Path> folders() {
    return targets;
  }

  /** The number of files of each folder. */
  int count() {
    return files.get(0).size();
  }

  /** Lets the file with this place in the order of names appear in each folder. */
  void link(int i) throws IOException {
    for (int folder = 0; folder < targets.size(); folder++) {
      Path file = files.get(folder).get(i);
      Files.createSymbolicLink(targets.get(folder).resolve(file.getFileName()), file);
    }
  }

  @Override
  public void close() throws IOException {
    FileUtils.deleteDirectory(parent.toFile());
  }
}
