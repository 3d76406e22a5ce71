package tidegate.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.formats.parquet.row.ParquetRowDataBuilder;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.hadoop.conf.Configuration;

/**
 * A table of Parquet files that gets updates too. Each row has a number in {@code _number}, by
 * which the last one of a key is found, and says in {@code _deleted} whether it takes its key away.
 */
public final class NumberedFiles implements DynamicTableSinkFactory {
  static final String NAME = "numbered-files";
  static final ConfigOption<String> PATH =
      ConfigOptions.key("path").stringType().noDefaultValue();

  /** All rows of a key come to one task, so that a number for all tasks has their order. */
  private static final AtomicLong NUMBER = new AtomicLong();

  @Override
  public String factoryIdentifier() {
    return NAME;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(PATH);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    var table = context.getCatalogTable();
    return new Files(
        table.getOptions().get(PATH.key()),
        (RowType) context.getPhysicalRowDataType().getLogicalType(),
        table.getResolvedSchema().getPrimaryKey().isPresent());
  }

  private record Files(String path, RowType columns, boolean updates) implements DynamicTableSink {

    @Override
    public ChangelogMode getChangelogMode(ChangelogMode ofQuery) {
      return updates ? ChangelogMode.upsert() : ChangelogMode.insertOnly();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
      var fields = new ArrayList<>(columns.getFields());
      fields.add(new RowType.RowField("_number", new BigIntType(false)));
      fields.add(new RowType.RowField("_deleted", new BooleanType(false)));
      var parquet =
          ParquetRowDataBuilder.createWriterFactory(new RowType(fields), new Configuration(), true);
      BulkWriter.Factory<RowData> factory = out -> new Numbering(parquet.create(out));
      return SinkV2Provider.of(
          FileSink.forBulkFormat(new Path(path), factory)
              .withBucketAssigner(new BasePathBucketAssigner<>())
              .build());
    }

    @Override
    public DynamicTableSink copy() {
      return this;
    }

    @Override
    public String asSummaryString() {
      return NAME;
    }
  }

  private record Numbering(BulkWriter<RowData> files) implements BulkWriter<RowData> {

    @Override
    public void addElement(RowData row) throws IOException {
      boolean deleted = row.getRowKind() == RowKind.DELETE;
      var number = GenericRowData.of(NUMBER.incrementAndGet(), deleted);
      files.addElement(new JoinedRowData(row, number));
    }

    @Override
    public void flush() throws IOException {
      files.flush();
    }

    @Override
    public void finish() throws IOException {
      files.finish();
    }
  }
}
