"""What happened in a run, as lines of JSON."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Happened:
    """Something that happened, at a time in seconds since 1970."""

    time: float
    kind: str
    details: str = ""


def append(path: Path, kind: str, details: str = "") -> None:
    """Note that something happens now."""
    with path.open("a") as file:
        file.write(json.dumps(asdict(Happened(time.time(), kind, details))) + "\n")


def read(path: Path) -> Iterator[Happened]:
    """Read what has happened."""
    for line in path.read_text().splitlines():
        yield Happened(**json.loads(line))
