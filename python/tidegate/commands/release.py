"""The command line ``python -m tidegate release``."""

import tidegate
from tidegate.commands import checkpoint

DESCRIPTION = (
    "Let a query without Tidegate continue from the checkpoint of a query with keyed watermarks: "
    "Spark's watermark begins at the lowest of them."
)


def main(arguments: list[str]) -> int:
    """Release a checkpoint, and return the exit code."""
    return checkpoint.run("release", DESCRIPTION, arguments, _release)


def _release(location: str) -> str:
    watermark = tidegate.release(location)
    start = "without a watermark" if watermark is None else f"at {watermark.isoformat()}"
    return f"A query without Tidegate continues from {location} {start}."
