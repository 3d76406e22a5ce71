"""Writes the three streams of Nexmark as Parquet files, the same ones for the same numbers.

Of 50 events one is a person, three are auctions and 46 are bids. Half of the bids go to an auction
that is hot, and three of four bids are by a bidder who is. Each event belongs to one of four
substreams. Its file is that of its arrival: up to two seconds after its time, and in the last
substream another 20 seconds later.
"""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

VERSION = 1
"""Raise it when the same numbers give other files."""

BEGIN_MS = 1_767_311_700_000
"""2026-01-01 23:55:00 in UTC: most streams cross a midnight."""

SUBSTREAMS, LATEST_MS, SLOW_MS = 4, 2_000, 20_000
IN_FLIGHT = 100
"""How many auctions are open at a time."""


@dataclass(frozen=True)
class Size:
    """How many events there are, how many in a second of their time, and in how many files."""

    events: int
    rate: int
    files: int

    @property
    def longest_seconds(self) -> int:
        """Return how long an auction is open, at most."""
        return 2 * self._usual_ms // 1000 + 1

    @property
    def _usual_ms(self) -> int:
        return IN_FLIGHT * 50 * 1000 // 3 // self.rate


def written(folder: Path, size: Size) -> Path:
    """Return the folder of the streams, which are written if they are not there."""
    done = folder / "size.json"
    wanted = {**asdict(size), "version": VERSION}
    if not done.exists() or json.loads(done.read_text()) != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write(folder, size)
        done.write_text(json.dumps(wanted))
    return folder


def _write(folder: Path, size: Size) -> None:
    random = np.random.default_rng(7)
    number = np.arange(size.events)
    time = BEGIN_MS + number * 1000 // size.rate
    part = random.integers(0, SUBSTREAMS, size.events)
    delay = random.integers(0, LATEST_MS + 1, size.events)
    arrival = time + delay + np.where(part == SUBSTREAMS - 1, SLOW_MS, 0)
    place = number % 50
    streams = {
        "person": (place == 0, _people),
        "auction": ((place > 0) & (place < 4), _auctions),
        "bid": (place >= 4, _bids),
    }
    for name, (chosen, columns) in streams.items():
        rows = number[chosen][np.argsort(arrival[chosen], kind="stable")]
        for i, numbers in enumerate(np.array_split(rows, size.files)):
            table = {
                **columns(random, numbers, time[numbers], size),
                "dateTime": _timestamps(time[numbers]),
                "extra": _texts(random, len(numbers), "extra"),
                "part": pa.array(part[numbers].astype(np.int32)),
            }
            path = folder / name / f"{i:05}.parquet"
            path.parent.mkdir(exist_ok=True)
            pq.write_table(pa.table(table), path)


def _people(random: Any, number: Any, time: Any, size: Size) -> dict[str, pa.Array]:
    count = len(number)
    return {
        "id": pa.array(number // 50),
        "name": _texts(random, count, "name"),
        "city": _texts(random, count, "city"),
        "state": _chosen(random, count, ["AZ", "CA", "ID", "OR", "WA", "WY"]),
    }


def _auctions(random: Any, number: Any, time: Any, size: Size) -> dict[str, pa.Array]:
    count = len(number)
    person = number // 50
    hot = random.integers(0, 4, count) > 0
    longest = 2 * size._usual_ms
    return {
        "id": pa.array(person * 3 + number % 50 - 1),
        "itemName": _texts(random, count, "item"),
        "initialBid": pa.array(_prices(random, count)),
        "expires": _timestamps(time + 1 + (random.random(count) * longest).astype(np.int64)),
        "seller": pa.array(np.where(hot, person // 100 * 100, _recent(random, person, 1_000))),
        "category": pa.array(10 + random.integers(0, 5, count)),
    }


def _bids(random: Any, number: Any, time: Any, size: Size) -> dict[str, pa.Array]:
    count = len(number)
    person = number // 50
    last = person * 3 + 2
    hot_auction = random.integers(0, 2, count) > 0
    hot_bidder = random.integers(0, 4, count) > 0
    channel = random.integers(0, 40, count) % np.where(random.integers(0, 2, count) > 0, 4, 40)
    names = np.array(["Google", "Facebook", "Baidu", "Apple", *(f"channel-{i}" for i in range(36))])
    paths = np.array([f"{a}/{b}" for a in range(20) for b in range(20)])
    end = np.where(channel >= 4, np.char.add("&channel_id=", channel.astype(str)), "")
    path = paths[random.integers(0, len(paths), count)]
    url = np.char.add(np.char.add("https://www.nexmark.com/", path), "/item.htm?query=1")
    return {
        "auction": pa.array(np.where(hot_auction, last // 100 * 100, _recent(random, last, 100))),
        "bidder": pa.array(
            np.where(hot_bidder, person // 100 * 100, _recent(random, person, 1_000))
        ),
        "price": pa.array(_prices(random, count)),
        "channel": pa.array(names[channel]),
        "url": pa.array(np.char.add(url, end)),
    }


def _recent(random: Any, last: Any, among: int) -> Any:
    """Return one of the last ids for each."""
    known = np.minimum(last + 1, among)
    return last - (random.random(len(last)) * known).astype(np.int64)


def _prices(random: Any, count: int) -> Any:
    return np.rint(np.power(10.0, random.random(count) * 6) * 100).astype(np.int64)


def _texts(random: Any, count: int, word: str) -> pa.Array:
    return _chosen(random, count, [f"{word} {i * 7919 % 1000:03} of the many" for i in range(1000)])


def _chosen(random: Any, count: int, texts: list[str]) -> pa.Array:
    return pa.array(np.array(texts, dtype=object)[random.integers(0, len(texts), count)])


def _timestamps(ms: Any) -> pa.Array:
    return pa.array(ms * 1000, pa.timestamp("us", tz="UTC"))
