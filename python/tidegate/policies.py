"""Watermark policies and emissions, as descriptions that the JVM reads.

A *policy* says how far the watermark of a substream follows the timestamps seen on it and the wall
clock. An *emission* says which advances of that watermark become visible.
"""

from dataclasses import dataclass
from datetime import timedelta

from tidegate._arguments import Duration, duration
from tidegate._keywords import keywords

__all__ = [
    "Emission",
    "Policy",
    "byFrame",
    "byMinStep",
    "fixedLag",
    "limitingLagAndDelay",
    "limitingLagAndLull",
    "limitingTimestampAndWallClockLag",
]


POLICIES = (
    "fixedLag",
    "limitingLagAndDelay",
    "limitingLagAndLull",
    "limitingTimestampAndWallClockLag",
)
EMISSIONS = ("byFrame", "byMinStep")


@dataclass(frozen=True)
class Policy:
    """A watermark policy, by its name and its durations as Spark interval strings."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Emission:
    """An emission, by its name and its durations as Spark interval strings."""

    name: str
    arguments: tuple[str, ...]


@keywords
def fixedLag(lag: Duration) -> Policy:
    """Let the watermark follow the highest timestamp seen, ``lag`` behind it.

    Parameters
    ----------
    lag : str or datetime.timedelta
        Event time by which a row may trail the newest row of its substream.

    Returns
    -------
    Policy
        For the argument ``policy`` of :func:`tidegate.withKeyedWatermark`.

    Raises
    ------
    TypeError
        If ``lag`` is neither a string nor a timedelta.

    Examples
    --------
    >>> from tidegate import fixedLag
    >>> fixedLag("5 seconds")
    Policy(name='fixedLag', arguments=('5 seconds',))
    """
    return Policy("fixedLag", (duration("lag", lag),))


@keywords
def limitingLagAndDelay(lag: Duration, maxDelay: Duration) -> Policy:
    """Follow with a fixed lag, and reach every timestamp at most ``maxDelay`` after it was seen.

    Parameters
    ----------
    lag : str or datetime.timedelta
        Event time by which the watermark trails the highest timestamp seen.
    maxDelay : str or datetime.timedelta
        Wall-clock time after which the watermark has reached a timestamp that was seen, even if no
        newer row followed it.

    Returns
    -------
    Policy
        For the argument ``policy`` of :func:`tidegate.withKeyedWatermark`.

    Raises
    ------
    TypeError
        If an argument is neither a string nor a timedelta.

    Examples
    --------
    >>> from tidegate import limitingLagAndDelay
    >>> limitingLagAndDelay("5 seconds", "30 seconds").arguments
    ('5 seconds', '30 seconds')
    """
    return Policy("limitingLagAndDelay", (duration("lag", lag), duration("maxDelay", maxDelay)))


@keywords
def limitingLagAndLull(lag: Duration, maxLull: Duration) -> Policy:
    """Follow with a fixed lag, and keep time moving when no row has come for ``maxLull``.

    In a lull the watermark advances as fast as the wall clock, from where it was: the distance
    between the two is kept. Any row ends the lull. A substream that has never shown a row has no
    watermark.

    Parameters
    ----------
    lag : str or datetime.timedelta
        Event time by which the watermark trails the highest timestamp seen.
    maxLull : str or datetime.timedelta
        Wall-clock time without a row after which the watermark moves by itself.

    Returns
    -------
    Policy
        For the argument ``policy`` of :func:`tidegate.withKeyedWatermark`.

    Raises
    ------
    TypeError
        If an argument is neither a string nor a timedelta.

    Examples
    --------
    >>> from datetime import timedelta
    >>> from tidegate import limitingLagAndLull
    >>> limitingLagAndLull(timedelta(seconds=5), "1 minute").arguments
    ('5000000 microseconds', '1 minute')
    """
    return Policy("limitingLagAndLull", (duration("lag", lag), duration("maxLull", maxLull)))


@keywords
def limitingTimestampAndWallClockLag(timestampLag: Duration, wallClockLag: Duration) -> Policy:
    """Take the later of two times: one trails the highest timestamp, one the wall clock.

    Parameters
    ----------
    timestampLag : str or datetime.timedelta
        Event time by which the watermark trails the highest timestamp seen.
    wallClockLag : str or datetime.timedelta
        The most by which the watermark trails the wall clock.

    Returns
    -------
    Policy
        For the argument ``policy`` of :func:`tidegate.withKeyedWatermark`.

    Raises
    ------
    TypeError
        If an argument is neither a string nor a timedelta.

    Examples
    --------
    >>> from tidegate import limitingTimestampAndWallClockLag
    >>> limitingTimestampAndWallClockLag("5 seconds", "1 minute").name
    'limitingTimestampAndWallClockLag'
    """
    return Policy(
        "limitingTimestampAndWallClockLag",
        (duration("timestampLag", timestampLag), duration("wallClockLag", wallClockLag)),
    )


@keywords
def byFrame(size: Duration, offset: Duration = timedelta(0)) -> Emission:
    """Show the watermark when it enters a new frame of event time.

    Parameters
    ----------
    size : str or datetime.timedelta
        Length of the frames. A frame is ``[n * size + offset, (n + 1) * size + offset)``.
    offset : str or datetime.timedelta, default zero
        Shift of all frames.

    Returns
    -------
    Emission
        For the argument ``emission`` of :func:`tidegate.withKeyedWatermark`.

    Raises
    ------
    TypeError
        If an argument is neither a string nor a timedelta.

    Examples
    --------
    >>> from tidegate import byFrame
    >>> byFrame("10 seconds")
    Emission(name='byFrame', arguments=('10 seconds', '0 microseconds'))
    """
    return Emission("byFrame", (duration("size", size), duration("offset", offset)))


@keywords
def byMinStep(step: Duration) -> Emission:
    """Show the watermark when it is at least ``step`` ahead of the value shown last.

    Parameters
    ----------
    step : str or datetime.timedelta
        The smallest advance that becomes visible.

    Returns
    -------
    Emission
        For the argument ``emission`` of :func:`tidegate.withKeyedWatermark`.

    Raises
    ------
    TypeError
        If ``step`` is neither a string nor a timedelta.

    Examples
    --------
    >>> from tidegate import byMinStep
    >>> byMinStep("1 second")
    Emission(name='byMinStep', arguments=('1 second',))
    """
    return Emission("byMinStep", (duration("step", step),))
