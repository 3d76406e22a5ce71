"""The soak without Kafka and Spark: that the producer keeps the contract, and what is found."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from soak import flatness, sink
from soak.contract import (
    AFTER_MS,
    BEFORE_MS,
    DELIVERIES,
    IDLE_BEHIND_MS,
    IDLE_TIMEOUT_MS,
    LAG_MS,
    MOST_BEHIND_MS,
    ORDERS,
    PAYMENTS,
    TOPICS,
    Row,
    jumps,
)
from soak.partition import Partition
from soak.samples import Sample
from soak.schedule import ADD, KILL, RESTART, schedule
from soak.verify import compare, expected_counts, expected_pairs

HOUR = 3_600_000
TICK = 500


@pytest.mark.parametrize("topic", TOPICS)
def test_partition_when_written_for_hours_then_no_row_is_late_by_contract(topic: str) -> None:
    longest, farthest = 0, 0
    for number in range(8):
        partition = Partition(topic, number, Random(number), now=0)
        top = 0
        for now in range(TICK, 3 * HOUR, TICK):
            times = partition.times(now)
            if not times:
                continue
            silence = now - partition.arrived
            longest = max(longest, silence)
            if jumps(topic) and silence > IDLE_TIMEOUT_MS:
                assert min(times) >= now
            for time in times:
                assert top - LAG_MS < time <= now
                top = max(top, time)
                farthest = max(farthest, now - time)
            partition.arrived = now

    assert IDLE_TIMEOUT_MS < longest
    assert jumps(topic) or longest < IDLE_BEHIND_MS / 10
    assert 0.5 * MOST_BEHIND_MS < farthest


def test_schedule_when_the_seed_is_the_same_then_events_are_the_same() -> None:
    events = schedule(Random(7), 3600, 300)
    assert events == schedule(Random(7), 3600, 300)
    assert events != schedule(Random(8), 3600, 300)
    assert [sum(e.kind == kind for e in events) for kind in (KILL, RESTART, ADD)] == [12, 5, 6]
    assert all(45 < event.second < 3590 for event in events)


def test_counts_when_a_row_is_missing_or_there_twice_then_the_window_is_wrong() -> None:
    rows = [Row(ORDERS, 0, n, n, 5_000 * n) for n in range(1, 7)]
    expected = expected_counts(rows)

    assert compare("windows", expected, expected_counts(rows)).nothing
    lost = compare("windows", expected, expected_counts(rows[1:]))
    assert (lost.missing, lost.unexpected) == ([(ORDERS, 0, 1, 1)], [])
    again = compare("windows", expected, expected_counts([*rows, rows[0]]))
    assert (again.missing, again.unexpected) == ([(ORDERS, 0, 1, 1)], [(ORDERS, 0, 2, 2)])
    window = (ORDERS, 0, 1, 1)
    assert compare("windows", expected, expected + type(expected)([window])).twice == [window]


def test_pairs_when_deliveries_are_beside_the_bounds_then_the_order_has_none() -> None:
    at = HOUR
    rows = [Row(ORDERS, 0, n, n, at) for n in (1, 2, 3)]
    rows += [Row(PAYMENTS, 0, 4, 1, at)]
    for number, order, time in (
        (11, 1, at - BEFORE_MS),
        (12, 1, at + AFTER_MS),
        (13, 2, at - BEFORE_MS - 1),
        (14, 2, at + AFTER_MS + 1),
        (15, -15, at),
    ):
        rows.append(Row(DELIVERIES, 0, number, order, time))

    assert expected_pairs(rows) == {(1, 11): 1, (1, 12): 1, (2, None): 1, (3, None): 1}


def test_sink_when_compacted_then_only_committed_files_count(tmp_path: Path) -> None:
    log = tmp_path / "_spark_metadata"
    log.mkdir()
    files = [tmp_path / f"part-{n}.json" for n in range(4)]
    for number, file in enumerate(files):
        file.write_text(json.dumps({"n": number}) + "\n")
    _write(log / "0", files[:1])
    _write(log / "1.compact", files[:2])
    _write(log / "2", files[2:3])

    assert list(sink.committed(tmp_path)) == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_flatness_when_the_offset_grows_without_substreams_then_it_is_found() -> None:
    def found(**last: Any) -> list[str]:
        samples = [_sample(second) for second in range(100)]
        samples += [_sample(second, **last) for second in range(100, 400)]
        grown = [trend for trend in flatness.trends(samples, 0, 400) if not trend.flat]
        return [trend.measure.name for trend in grown]

    samples = [_sample(t, offset_bytes=2000 + 10 * t) for t in range(400)]
    [offset] = [t for t in flatness.trends(samples, 0, 400) if "offset" in t.measure.name]
    assert not offset.flat and offset.ratio > 1.5
    assert found(offset_bytes=4000, substreams=50) == []


def _write(path: Path, files: Iterable[Path]) -> None:
    entries = [json.dumps({"path": file.as_uri(), "action": "add"}) for file in files]
    path.write_text("\n".join(["v1", *entries]))


def _sample(time: float, **others: Any) -> Sample:
    values: dict[str, Any] = {
        "query": "counts",
        "process": 1,
        "batch": 1,
        "batch_ms": 500.0,
        "state_rows": 100,
        "state_bytes": 10_000,
        "offset_bytes": 2000,
        "lag_ms": 10_000.0,
        "substreams": 25,
        "idle": 0,
        "late_rows": 0,
        "heap_bytes": 100_000_000,
    }
    return Sample(time=time, **{**values, **others})
