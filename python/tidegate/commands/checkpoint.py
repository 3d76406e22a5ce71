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
    builder = SparkSession.builder.appName(f"tidegate {name}").master("local[1]")
    spark = tidegate.configure(builder.config("spark.ui.enabled", "false")).getOrCreate()
    try:
        print(act(checkpoint))
    except AnalysisException as error:
        print(error.getMessage(), file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0
