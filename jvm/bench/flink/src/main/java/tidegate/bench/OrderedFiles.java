package tidegate.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.assigners.FileSplitAssigner;
import org.apache.flink.connector.file.src.enumerate.NonSplittingRecursiveEnumerator;
import org.apache.flink.formats.parquet.ParquetColumnarRowInputFormat;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.hadoop.conf.Configuration;

/**
 * A folder of Parquet files, read in the order of their names, as Spark reads them.
 *
 * <p>Flink's own order is another one, in which rows would be late.
 */
final class OrderedFiles {
  private static final int BATCH_ROWS = 2048;
  private static final Duration LOOK = Duration.ofMillis(10);

  private OrderedFiles() {}

  /** The files that are there, or, if it {@code follows} the folder, also those that come. */
  static FileSource<RowData> read(Path folder, StreamQuery.Stream stream, boolean follows) {
    return read(folder, columns(stream), follows);
  }

  /** These columns of the files. */
  static FileSource<RowData> read(Path folder, RowType columns, boolean follows) {
    var rows =
        new ParquetColumnarRowInputFormat<FileSourceSplit>(
            new Configuration(), columns, InternalTypeInfo.of(columns), BATCH_ROWS, true, true);
    var source =
        FileSource.forBulkFileFormat(rows, new org.apache.flink.core.fs.Path(folder.toUri()))
            .setFileEnumerator(NonSplittingRecursiveEnumerator::new)
            .setSplitAssigner(ByName::new);
    return (follows ? source.monitorContinuously(LOOK) : source).build();
  }

  private static RowType columns(StreamQuery.Stream stream) {
    var types = new ArrayList<LogicalType>(List.of(new BigIntType(), new BigIntType()));
    var names = new ArrayList<>(List.of(stream.time(), stream.key()));
    if (stream.priced()) {
      types.add(new DoubleType());
      names.add("price");
    }
    return RowType.of(types.toArray(new LogicalType[0]), names.toArray(new String[0]));
  }

  /** Gives a reader the first file that no reader has yet. */
  private static final class ByName implements FileSplitAssigner {
    private final PriorityQueue<FileSourceSplit> waiting =
        new PriorityQueue<>(Comparator.comparing((FileSourceSplit s) -> s.path().getName()));

    ByName(Collection<FileSourceSplit> files) {
      waiting.addAll(files);
    }

    @Override
    public Optional<FileSourceSplit> getNext(String host) {
      return Optional.ofNullable(waiting.poll());
    }

    @Override
    public void addSplits(Collection<FileSourceSplit> files) {
      waiting.addAll(files);
    }

    @Override
    public Collection<FileSourceSplit> remainingSplits() {
      return waiting;
    }
  }
}
