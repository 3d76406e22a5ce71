"""Times that the JVM gives, as Python has them."""

from datetime import datetime, timedelta, timezone

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def utc(epoch_ms: int | None) -> datetime | None:
    """Return the time in UTC of milliseconds since 1970."""
    if epoch_ms is None:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=epoch_ms)
    except OverflowError:
        # A TIMESTAMP, and the end of time, may be beyond what a datetime can be.
        bound = datetime.max if epoch_ms > 0 else datetime.min
        return bound.replace(tzinfo=timezone.utc)
