"""Policies and emissions: names and durations as the facade takes them."""

from dataclasses import FrozenInstanceError
from datetime import timedelta

import pytest

import tidegate
from tidegate import Emission, Policy


@pytest.mark.parametrize(
    ("made", "name", "arguments"),
    [
        (tidegate.fixedLag("5 seconds"), "fixedLag", ("5 seconds",)),
        (
            tidegate.limitingLagAndDelay("5 seconds", "1 minute"),
            "limitingLagAndDelay",
            ("5 seconds", "1 minute"),
        ),
        (
            tidegate.limitingLagAndLull("5 seconds", "1 minute"),
            "limitingLagAndLull",
            ("5 seconds", "1 minute"),
        ),
        (
            tidegate.limitingTimestampAndWallClockLag("5 seconds", "1 minute"),
            "limitingTimestampAndWallClockLag",
            ("5 seconds", "1 minute"),
        ),
    ],
)
def test_policy_when_made_then_is_called_as_its_function(
    made: Policy, name: str, arguments: tuple[str, ...]
) -> None:
    assert made == Policy(name, arguments)


def test_emission_when_made_then_is_called_as_its_function() -> None:
    assert tidegate.byMinStep("1 second") == Emission("byMinStep", ("1 second",))
    assert tidegate.byFrame("1 second") == Emission("byFrame", ("1 second", "0 microseconds"))
    assert tidegate.byFrame("1 minute", "1 second").arguments == ("1 minute", "1 second")


@pytest.mark.parametrize(
    ("duration", "sent"),
    [
        (timedelta(milliseconds=1.5), "1500 microseconds"),
        (timedelta(days=2), "172800000000 microseconds"),
        (timedelta(seconds=-1), "-1000000 microseconds"),
        ("INTERVAL 5 SECONDS", "INTERVAL 5 SECONDS"),
    ],
)
def test_duration_when_timedelta_then_is_sent_in_microseconds(
    duration: timedelta | str, sent: str
) -> None:
    assert tidegate.fixedLag(duration).arguments == (sent,)


def test_duration_when_a_number_then_the_sentence_names_the_argument() -> None:
    with pytest.raises(TypeError) as error:
        tidegate.limitingLagAndLull("5 seconds", 60)  # type: ignore[arg-type]

    assert str(error.value) == (
        "maxLull must be a Spark interval string such as '5 seconds' or a datetime.timedelta, "
        "found int: 60."
    )


def test_policy_when_changed_then_refuses() -> None:
    with pytest.raises(FrozenInstanceError):
        tidegate.fixedLag("5 seconds").name = "other"  # type: ignore[misc]
