"""The command line ``python -m tidegate adopt``."""

from tidegate import _jvm
from tidegate.commands import checkpoint

DESCRIPTION = (
    "Let the next start of a query adopt its checkpoint, which was made without Tidegate: the "
    "keyed watermarks of the query begin where Spark's watermark was."
)


def main(arguments: list[str]) -> int:
    """Mark a checkpoint for adoption, and return the exit code."""
    return checkpoint.run("adopt", DESCRIPTION, arguments, _mark)


def _mark(location: str) -> str:
    _jvm.mark_for_adoption(location)
    return f"The next start of the query with keyed watermarks adopts {location}."
