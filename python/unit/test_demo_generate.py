"""The generated rows: deterministic, in arrival order, one substream behind and one silent."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tidegate.demo.generate import MINUTE, SECOND, Arrivals, end_markers, generate, write_arrivals

SMALL = Arrivals("order_time", rows=8_000, seed=1, files=4)


def since_start(arrivals: Arrivals, partition: int) -> npt.NDArray[np.int64]:
    """Return the event times of a substream in arrival order, in microseconds."""
    table = generate(arrivals)
    own = table.filter(pc.field("partition") == partition)
    micros = own["order_time"].cast("int64").to_numpy()
    return np.asarray(micros - int(arrivals.start.timestamp()) * SECOND, dtype=np.int64)


def test_rows_when_generated_twice_then_are_equal() -> None:
    assert generate(SMALL).equals(generate(SMALL))
    assert not generate(SMALL).equals(generate(Arrivals("order_time", rows=8_000, seed=2)))


def test_disorder_when_seen_on_one_substream_then_is_below_the_lag() -> None:
    for partition in range(SMALL.substreams):
        times = since_start(SMALL, partition)
        assert (np.maximum.accumulate(times) - times).max() < 5 * SECOND


def test_lagging_substream_when_compared_then_is_ten_minutes_behind() -> None:
    behind = since_start(SMALL, 0).max() - since_start(SMALL, SMALL.lagging).max()

    assert abs(behind - 10 * MINUTE) < MINUTE / 2


def test_silent_substream_when_half_is_over_then_has_no_more_rows() -> None:
    assert SMALL.silent is not None
    times = since_start(SMALL, SMALL.silent)

    assert 29 * MINUTE < times.max() < 30 * MINUTE


def test_added_substream_when_made_then_has_rows_from_some_time_on_and_the_others_keep_theirs() -> (
    None
):
    arrivals = Arrivals("order_time", rows=8_000, seed=1, substreams=9, added=8)
    times = since_start(arrivals, 8)

    assert 35 * MINUTE < times.min() < 37 * MINUTE < 59 * MINUTE < times.max()
    assert all(len(since_start(arrivals, partition)) > 400 for partition in range(8))


def test_end_markers_when_made_then_one_per_living_substream_an_hour_later() -> None:
    markers = end_markers(SMALL)

    assert markers["partition"].to_pylist() == [0, 1, 2, 3, 4, 6, 7]
    assert set(markers["order_time"].to_pylist()) == {SMALL.start + timedelta(hours=2)}


def test_files_when_written_then_are_in_arrival_order_and_hold_all_rows(tmp_path: Path) -> None:
    (tmp_path / "arrival-9999.parquet").touch()
    write_arrivals(SMALL, tmp_path)

    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"arrival-{n:04d}.parquet" for n in range(5)]
    assert [file.stat().st_mtime for file in files] == sorted({f.stat().st_mtime for f in files})
    ids = [pq.read_table(file)["order_id"].to_pylist() for file in files]
    assert [i for file in ids[:4] for i in file] == list(range(8_000))
    assert ids[4] == [-1] * 7
