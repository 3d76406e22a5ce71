"""Checks the Python examples of README and of `docs` with mypy and pyright, both strict.

It also checks that both refuse what they should: the lines of `wrong_types.py`.

`make lint` runs this as `python tests/check_types.py`. The examples of a page become one module, in
which a line has the number that it has on the page.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from documents import examples

ROOT = Path(__file__).parent.parent
NAMES = Path(__file__).parent / "example_names.py"
WRONG = Path(__file__).parent / "wrong_types.py"
STUBS = ROOT / "build" / "stubs"
FOLDER = ROOT / "build" / "typed"

COMPLETE = [ROOT / "README.md", ROOT / "python" / "README.md"]
"""Pages whose examples import and make all that they use."""

PYSPARK = "# pyright: reportUnknownMemberType=false"
"""Some of PySpark's own signatures have types that are not complete, as that of `spark.sql`."""


def module(page: str, needs_names: bool) -> str:
    """Return the Python examples of a page as a module, each on its own lines."""
    lines = [f"from {NAMES.stem} import *", PYSPARK] if needs_names else []
    for example in examples(page):
        if example.language == "python":
            lines += [""] * (example.line - len(lines))
            lines += example.code.splitlines()
    return "\n".join(lines) + "\n"


def write(folder: Path) -> int:
    """Write a module for each page with Python, and return how many there are."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(NAMES, folder)
    shutil.copy(WRONG, folder)
    # Two examples of a page may be complete, with the same imports.
    settings = {
        "typeCheckingMode": "strict",
        "reportDuplicateImport": False,
        "reportUnnecessaryTypeIgnoreComment": True,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    pages = 0
    for path in [*COMPLETE, *sorted((ROOT / "docs").rglob("*.md"))]:
        page = path.read_text()
        if any(example.language == "python" for example in examples(page)):
            name = "_".join(path.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
            (folder / f"{name}.py").write_text(module(page, path not in COMPLETE))
            pages += 1
    return pages


def main() -> int:
    """Run both checkers, and return 0 if neither finds anything."""
    # The stubs first, as in an environment in which the wheel is installed.
    path = os.pathsep.join([str(STUBS), str(ROOT / "python")])
    environment = {**os.environ, "PYTHONPATH": path, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    print(f"Types of the examples on {write(FOLDER)} pages", flush=True)
    commands = [
        ["mypy", "--strict", "--config-file=", "--cache-dir", "../mypy-examples", "."],
        ["pyright", "--pythonpath", sys.executable],
    ]
    failed = [
        command[0]
        for command in commands
        if subprocess.run([sys.executable, "-m", *command], cwd=FOLDER, env=environment).returncode
    ]
    if failed:
        print(
            f"{' and '.join(failed)} found errors in examples. A file above has the name of its "
            "page, and its lines have the numbers of the page. Correct the page; names that an "
            f"example takes from the text are in tests/{NAMES.name}. A line of {WRONG.name} has to "
            "be refused where it has an ignore, and only there."
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
