"""Marks for tests of what earlier versions of Spark do not have."""

import pyspark
import pytest

SPARK = tuple(int(number) for number in pyspark.__version__.split(".")[:2])


def since(minor: int, what: str) -> pytest.MarkDecorator:
    """Skip a test on a Spark before 4.``minor``, which lacks ``what``."""
    return pytest.mark.skipif(SPARK < (4, minor), reason=f"{what}: Spark 4.{minor} and later")


def before(minor: int, what: str) -> pytest.MarkDecorator:
    """Skip a test of how ``what`` is refused on a Spark from 4.``minor`` on, which has it."""
    return pytest.mark.skipif(SPARK >= (4, minor), reason=f"{what}: before Spark 4.{minor}")
