"""Delta Lake beside Tidegate: streams from tables and into them, and Delta's own SQL."""

from typing import ClassVar

from beside.lakes import LAGGING, Lake
from beside.libraries import DELTA, Library
from beside.tables import TableTests


class TestDelta(TableTests):
    """With the extensions of Delta and of Tidegate."""

    libraries: ClassVar[list[Library]] = [DELTA]

    def test_time_travel_when_below_a_table_function_then_the_old_rows_are_counted(
        self, lake: Lake
    ) -> None:
        events = lake.events(commits=3)

        counted = lake.rows(f"""
            SELECT date_format(window_start, 'HH:mm'), count(*)
            FROM TUMBLE(
              TABLE(SELECT * FROM {events} VERSION AS OF 1), DESCRIPTOR(time), INTERVAL 1 MINUTE)
            GROUP BY window_start, window_end""")

        assert counted == [("11:50", 1), ("12:00", 1)]

    def test_commands_of_delta_when_beside_tidegate_then_they_work(self, lake: Lake) -> None:
        events = lake.events(commits=3)
        rows = f"SELECT id FROM {events}"

        lake.spark.sql(f"OPTIMIZE {events} ZORDER BY (id)")
        lake.spark.sql(f"DELETE FROM {events} WHERE shop = 'a'")
        assert lake.rows(rows) == [(2,), (5,), (7,)]
        lake.spark.sql(f"RESTORE TABLE {events} TO VERSION AS OF 2")
        assert lake.rows(rows) == [(1,), (2,), (3,), (4,), (5,)]
        history = lake.spark.sql(f"DESCRIBE HISTORY {events}").collect()
        operations = {row["operation"] for row in history}
        assert operations == {"CREATE TABLE", "WRITE", "OPTIMIZE", "DELETE", "RESTORE"}
        lake.spark.sql(f"VACUUM {events}")

    def test_table_changes_when_below_a_table_function_then_every_change_is_counted(
        self, lake: Lake
    ) -> None:
        columns = "shop STRING, id BIGINT, time TIMESTAMP"
        events = lake.create(
            "changed", columns, "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
        )
        lake.append(events, LAGGING[0])
        lake.spark.sql(f"UPDATE {events} SET id = 10 WHERE shop = 'a'")

        counted = lake.rows(f"""
            SELECT date_format(window_start, 'HH:mm'), count(*)
            FROM TUMBLE(
              TABLE(SELECT * FROM table_changes('{events}', 1)),
              DESCRIPTOR(time), INTERVAL 1 MINUTE)
            GROUP BY window_start, window_end""")

        assert counted == [("11:50", 1), ("12:00", 3)]
