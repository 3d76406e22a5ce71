"""The rows that a file sink of Spark has committed, read without Spark."""

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

COMPACT = ".compact"


def committed(folder: Path) -> Iterator[dict[str, Any]]:
    """Return the rows of the files that the log of the sink names, and of no other files."""
    for name in _files(folder / "_spark_metadata"):
        for line in (folder / name).read_text().splitlines():
            yield json.loads(line)


def _files(log: Path) -> list[str]:
    """Return the names of the files in the newest compacted log, and in all logs after it."""
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
        found += [unquote(PurePosixPath(json.loads(entry)["path"]).name) for entry in entries]
    return found
