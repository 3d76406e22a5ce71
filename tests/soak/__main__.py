"""Soaks Tidegate: two queries on Kafka that are killed again and again, for an hour.

Three topics with 24 partitions have random skew, silence and bursts; partitions are added, and the
broker is killed. In the end each row that the broker acknowledged must be in the results, once.

No row may be late, because the producer keeps to what Tidegate asks for. The rows of a partition
are in order up to less than the lag. After a silence, a partition of `orders` or `payments`, which
have an idle timeout, goes on at the current time. A partition of `deliveries` goes on where it was:
`idleBehind` is longer than any silence there.
"""

import argparse
import random
import shutil
import sys
from pathlib import Path

from soak.report import report
from soak.run import run
from tidegate.demo.kafka.interrupts import Interrupts

INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Soak, or look again at the files of an earlier run; return 1 if something is wrong."""
    options = _parse(arguments)
    wrong: list[str] = []
    if not options.report:
        shutil.rmtree(options.output, ignore_errors=True)
        options.output.mkdir(parents=True)
        print(f"Soaking for {options.minutes:g} minutes, SEED={options.seed}.", flush=True)
        try:
            with Interrupts():
                wrong += run(options)
        except KeyboardInterrupt:
            print("Stopped: the queries and the broker are gone.", file=sys.stderr)
            return INTERRUPTED
    wrong += report(options.output)
    if wrong:
        print("\nFAILED\n" + "\n".join(wrong))
        return 1
    print("\nAll rows are there, once.")
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m soak", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument(
        "--kill-every", type=float, default=5, help="minutes from kill to kill; 0 for none"
    )
    parser.add_argument("--trigger", type=float, default=5, help="seconds from batch to batch")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--jars", type=Path, default=Path("build/kafka"))
    parser.add_argument("--output", type=Path, default=Path("build/soak"))
    parser.add_argument(
        "--report", action="store_true", help="only look at the files of an earlier run"
    )
    options = parser.parse_args(arguments)
    options.jars, options.output = options.jars.resolve(), options.output.resolve()
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
