"""Takes the blocks of the first minute out of their pages, and measures the one in README.

`make first-minute` runs this as `python tests/first_minute.py <wheel>`.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGE = ROOT / "docs" / "first-minute.md"

LONGEST_SECONDS = 60
"""How long `pip install` and the block may take together."""

PASTED = ["-q", "-i"]
"""Python reads its input as if somebody had pasted it."""


def blocks(page: Path, heading: str) -> dict[str, str]:
    """Return the first block of each language in the section with the heading."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page.read_text(), re.M | re.S)
    assert section is not None, f"{page.name} has no section {heading}"
    found: dict[str, str] = {}
    for language, content in re.findall(r"^```(\w+)\n(.*?)^```$", section[1], re.M | re.S):
        found.setdefault(language, content)
    return found


def main(wheel: Path) -> int:
    """Install the wheel into an empty environment, paste README's block, and print the times."""
    block = blocks(README, "The first minute")["python"]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        # Not the Python that this environment gives to Spark's workers.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK_")}
        pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check"]
        start = time.monotonic()
        subprocess.run(
            [*pip, "install", "-q", f"{wheel}[spark]"], check=True, cwd=folder, env=environment
        )
        installed = time.monotonic()
        with subprocess.Popen(
            [python, *PASTED],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as shell:
            assert shell.stdin is not None and shell.stdout is not None
            shell.stdin.write(block)
            shell.stdin.close()
            result = None
            for line in shell.stdout:
                if result is None and line.startswith("|"):
                    result = time.monotonic()
                print(line, end="")
    if result is None:
        print("The block of README has printed no table.", file=sys.stderr)
        return 1
    print(f"pip install              {installed - start:5.1f} s")
    print(f"from paste to the result {result - installed:5.1f} s")
    if result - start > LONGEST_SECONDS:
        print(f"Together they took more than {LONGEST_SECONDS} s.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
