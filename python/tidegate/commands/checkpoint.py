"""What the commands on a checkpoint share."""

import argparse
import sys
from collections.abc import Callable

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import tidegate


def run(name: str, description: str, arguments: list[str], act: Callable[[str], str]) -> int:
    """Act on the checkpoint that the arguments name, print what was done, and return the code."""
    parser = argparse.ArgumentParser(prog=f"python -m tidegate {name}", description=description)
    parser.add_argument("checkpoint", help="the checkpointLocation of a query that is stopped")
    checkpoint = parser.parse_args(arguments).checkpoint
    return in_session(name, lambda: act(checkpoint))


def in_session(name: str, act: Callable[[], str]) -> int:
    """Act in a session of one core, print what was done or is wrong, and return the code."""
    builder = SparkSession.builder.appName(f"tidegate {name}").master("local[1]")
    spark = tidegate.configure(builder.config("spark.ui.enabled", "false")).getOrCreate()
    try:
        print(act())
    except AnalysisException as error:
        print(error.getMessage(), file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0
