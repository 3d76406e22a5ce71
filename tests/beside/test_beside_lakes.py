"""Delta, Iceberg and Tidegate in one session: a stream from each format, and into each."""

from typing import ClassVar

import tidegate
from beside.lakes import LAGGING, Lake
from beside.libraries import DELTA, ICEBERG, Library
from beside.tables import CALLS, windows_in_sql
from feeds import Feed, counts
from statuses import watermark_of


class TestLakes:
    """With three extensions, Tidegate's at each place, and the others in both orders."""

    libraries: ClassVar[list[Library]] = [DELTA, ICEBERG]

    def test_union_of_both_formats_when_restarted_then_windows_equal_a_batch(
        self, lake: Lake, feed: Feed
    ) -> None:
        iceberg = Lake.empty(lake.spark, ICEBERG.namespace, lake.folder)
        of_delta, of_iceberg = lake.events(), iceberg.events()
        seen = []
        for rows in LAGGING:
            lake.append(of_delta, [row for row in rows if row[0] == "a"])
            iceberg.append(of_iceberg, [row for row in rows if row[0] == "b"])
            both = lake.stream(of_delta).union(iceberg.stream(of_iceberg))
            keyed = tidegate.withKeyedWatermark(both, "time", "0 seconds", substream="shop")
            query, emitted = feed.run_query(counts(keyed))
            seen += emitted

        assert sorted(seen) == sorted(lake.windows(of_delta) + iceberg.windows(of_iceberg))
        assert len(seen) == 6
        assert set(watermark_of(query, "time")["substreams"]) == {"a", "b"}

    def test_windows_when_from_delta_into_iceberg_then_the_table_equals_a_batch(
        self, lake: Lake
    ) -> None:
        iceberg = Lake.empty(lake.spark, ICEBERG.namespace, lake.folder)
        events = lake.events()
        written = iceberg.create("written", "minute STRING, n BIGINT")
        for rows in LAGGING:
            lake.append(events, rows)
            iceberg.write(counts(lake.keyed(events)).toDF("minute", "n"), written)

        assert iceberg.rows(f"SELECT * FROM {written}") == lake.windows(events)

    def test_commands_and_calls_when_of_all_three_then_each_has_its_own(
        self, lake: Lake, feed: Feed
    ) -> None:
        iceberg = Lake.empty(lake.spark, ICEBERG.namespace, lake.folder)
        of_delta, of_iceberg = lake.events(commits=4), iceberg.events(commits=4)
        lake.spark.sql(f"OPTIMIZE {of_delta} ZORDER BY (id)")
        lake.spark.sql("CALL lake.system.rewrite_data_files(table => 'beside.events')")

        for of, name in ((lake, of_delta), (iceberg, of_iceberg)):
            of.stream(name).createOrReplaceTempView("event_stream")
            seen = Feed(lake.spark, feed.folder / of.format).run(
                lake.spark.sql(windows_in_sql("TUMBLE", "event_stream"))
            )
            assert sorted(seen) == of.windows(name, *CALLS["TUMBLE"][1:])
