"""The defaults of arguments: in signatures, and in what the documentation says."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import tidegate
from tidegate import _defaults

WATERMARK = tidegate.withKeyedWatermark
INGESTION = tidegate.withIngestionWatermark


@pytest.mark.parametrize(
    ("function", "argument", "default"),
    [
        (WATERMARK, "key", _defaults.KEY),
        (WATERMARK, "idleTimeout", _defaults.IDLE_TIMEOUT),
        (INGESTION, "key", _defaults.KEY),
        (INGESTION, "ingestionTime", _defaults.INGESTION_TIME),
        (INGESTION, "maxIdleLag", _defaults.MAX_IDLE_LAG),
        (tidegate.mapAsync, "timeout", _defaults.TIMEOUT),
        (tidegate.mapAsync, "maxInFlight", _defaults.MAX_IN_FLIGHT),
        (tidegate.mapAsync, "retries", _defaults.RETRIES),
        (tidegate.mapAsync, "breakAfter", _defaults.BREAK_AFTER),
    ],
)
def test_default_when_documented_then_is_that_of_the_signature(
    function: Callable[..., Any], argument: str, default: object
) -> None:
    assert inspect.signature(function).parameters[argument].default == default
    documented = [
        line.partition(", default ")[2]
        for line in (inspect.getdoc(function) or "").splitlines()
        if line.startswith(f"{argument} :")
    ]
    text = f'"{default}"' if isinstance(default, str) else default
    assert documented == [str(text)]
