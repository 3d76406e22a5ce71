package tidegate.bench;

import static org.apache.flink.table.api.DataTypes.BIGINT;
import static org.apache.flink.table.api.DataTypes.FIELD;
import static org.apache.flink.table.api.DataTypes.STRING;
import static org.apache.flink.table.api.DataTypes.TIMESTAMP_LTZ;

import java.util.List;
import org.apache.flink.table.api.DataTypes.Field;

/** The streams of Nexmark, with the columns of their files. */
enum NexmarkStream {
  person(
      FIELD("id", BIGINT()),
      FIELD("name", STRING()),
      FIELD("city", STRING()),
      FIELD("state", STRING()),
      FIELD("dateTime", TIMESTAMP_LTZ(3)),
      FIELD("extra", STRING())),
  auction(
      FIELD("id", BIGINT()),
      FIELD("itemName", STRING()),
      FIELD("initialBid", BIGINT()),
      FIELD("expires", TIMESTAMP_LTZ(3)),
      FIELD("seller", BIGINT()),
      FIELD("category", BIGINT()),
      FIELD("dateTime", TIMESTAMP_LTZ(3)),
      FIELD("extra", STRING())),
  bid(
      FIELD("auction", BIGINT()),
      FIELD("bidder", BIGINT()),
      FIELD("price", BIGINT()),
      FIELD("channel", STRING()),
      FIELD("url", STRING()),
      FIELD("dateTime", TIMESTAMP_LTZ(3)),
      FIELD("extra", STRING()));

  final List<Field> columns;

  NexmarkStream(Field... columns) {
    this.columns = List.of(columns);
  }
}
