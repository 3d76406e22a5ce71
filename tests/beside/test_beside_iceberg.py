"""Iceberg beside Tidegate: streams from tables and into them, and Iceberg's own SQL."""

from typing import ClassVar

from beside.lakes import LAGGING, Lake
from beside.libraries import ICEBERG, Library
from beside.tables import TableTests


def snapshots(lake: Lake, name: str) -> list[int]:
    """Return the snapshots of a table in the order of their times."""
    return [row[1] for row in lake.rows(f"SELECT committed_at, snapshot_id FROM {name}.snapshots")]


class TestIceberg(TableTests):
    """With the extensions of Iceberg and of Tidegate."""

    libraries: ClassVar[list[Library]] = [ICEBERG]

    def test_time_travel_when_below_a_table_function_then_the_old_rows_are_counted(
        self, lake: Lake
    ) -> None:
        events = lake.events(commits=3)
        first = snapshots(lake, events)[0]

        counted = lake.rows(f"""
            SELECT date_format(window_start, 'HH:mm'), count(*)
            FROM TUMBLE(
              TABLE(SELECT * FROM {events} VERSION AS OF {first}),
              DESCRIPTOR(time), INTERVAL 1 MINUTE)
            GROUP BY window_start, window_end""")

        assert counted == [("11:50", 1), ("12:00", 1)]

    def test_commands_of_iceberg_when_beside_tidegate_then_they_work(self, lake: Lake) -> None:
        events = lake.events(commits=2)
        rows = f"SELECT id FROM {events}"

        lake.spark.sql(f"ALTER TABLE {events} CREATE BRANCH kept")
        lake.spark.sql(f"ALTER TABLE {events} ADD PARTITION FIELD hours(time)")
        lake.spark.sql(f"ALTER TABLE {events} WRITE ORDERED BY time")
        lake.append(events, LAGGING[2])
        assert lake.rows(rows) == [(n,) for n in range(1, 8)]
        assert lake.rows(f"{rows} VERSION AS OF 'kept'") == [(n,) for n in range(1, 6)]
        last = snapshots(lake, events)[1]
        lake.spark.sql(f"CALL lake.system.rollback_to_snapshot('beside.events', {last})")
        assert lake.rows(rows) == [(n,) for n in range(1, 6)]
        lake.spark.sql(f"DELETE FROM {events} WHERE shop = 'a'")
        assert lake.rows(rows) == [(2,), (5,)]
        lake.spark.sql("CALL lake.system.rewrite_data_files(table => 'beside.events')")
        assert lake.rows(rows) == [(2,), (5,)]
