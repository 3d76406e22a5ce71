"""The rows that a file sink of Spark has committed, read without Spark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

COMPACT = ".compact"


def committed(folder: Path) -> Iterator[dict[str, Any]]:
    """Return the rows of the files that the log of the sink names, and of no other files."""
    for path in _files(folder / "_spark_metadata"):
        for line in path.read_text().splitlines():
            yield json.loads(line)


def _files(log: Path) -> list[Path]:
    """Return the files of the newest compacted log, and of all logs after it."""
    batches = {
        int(path.name.removesuffix(COMPACT)): path
        for path in log.iterdir()
        if path.name.removesuffix(COMPACT).isdigit()
    }
    compacted = [n for n, path in batches.items() if path.name.endswith(COMPACT)]
    first = max(compacted, default=-1)
    found = []
    for number in sorted(n for n in batches if n >= first):
        version, *entries = batches[number].read_text().splitlines()
        if version != "v1":
            raise ValueError(f"{batches[number]} has the unknown version {version}.")
        found += [Path(unquote(urlparse(json.loads(entry)["path"]).path)) for entry in entries]
    return found
