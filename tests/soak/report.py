"""The end of a soak: whether all rows are there, and whether what was measured stayed flat."""

from pathlib import Path

from soak import events, flatness, samples, verify
from soak.files import EVENTS, PICTURE, WRITTEN
from soak.picture import draw
from soak.query import COUNTS, PAIRS, SAMPLES

START, END = "start", "end"


def report(folder: Path) -> list[str]:
    """Print the report on the files of a run, draw the picture, and return what is wrong."""
    happened = list(events.read(folder / EVENTS))
    start = next(event.time for event in happened if event.kind == START)
    end = next((event.time for event in happened if event.kind == END), happened[-1].time)
    measured = list(samples.read(folder / SAMPLES))
    wrong = _verify(folder, measured) + _flatness(measured, start, end)
    draw(measured, happened, start, folder / PICTURE)
    print(f"\nThe picture is {folder / PICTURE}.")
    return wrong


def _verify(folder: Path, measured: list[samples.Sample]) -> list[str]:
    differences = verify.verify(folder / WRITTEN, folder / COUNTS, folder / PAIRS)
    late = max((sample.late_rows for sample in measured), default=0)
    print("\nAgainst the rows that the broker acknowledged:\n")
    print(verify.table(differences))
    print(f"\nRows dropped as late: {late:,}")
    wrong = [d.examples() for d in differences if not d.nothing]
    if not any(d.expected for d in differences):
        wrong.append("Nothing was written.")
    if late:
        wrong.append(f"{late:,} rows were late.")
    return wrong


def _flatness(measured: list[samples.Sample], start: float, end: float) -> list[str]:
    found = flatness.trends(measured, start, end)
    print("\nMedians:\n")
    print(flatness.table(found))
    if round((end - start) / 60) < flatness.LEAST_MINUTES:
        print(f"\nThe bounds hold from {flatness.LEAST_MINUTES} minutes on.")
        return []
    wrong = [
        f"{trend.measure.name} of {trend.query} grew by the factor {trend.ratio:.2f}."
        for trend in found
        if not trend.flat
    ]
    if not found:
        wrong.append("There are too few samples to see what grows.")
    return wrong
