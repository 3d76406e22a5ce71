"""The processor time of a process and all that it has started: it depends little on other work."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def seconds(root: int) -> float:
    """Return the processor time that a process and its descendants have used, on Linux."""
    stats = dict(filter(None, map(_stat, Path("/proc").glob("[0-9]*"))))
    tree = {root}
    while found := {pid for pid, (parent, _) in stats.items() if parent in tree} - tree:
        tree |= found
    return sum(stats[pid][1] for pid in tree if pid in stats) / TICKS


def _stat(process: Path) -> tuple[int, tuple[int, int]] | None:
    """Return a process with its parent, and its time with that of children that have ended."""
    try:
        text = (process / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name, in brackets, may hold anything.
    fields = text.rpartition(")")[2].split()
    return int(process.name), (int(fields[1]), sum(map(int, fields[11:15])))
