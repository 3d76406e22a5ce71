"""The checkpoint of the job, while nothing runs on it."""

import json
import subprocess
import sys
from pathlib import Path

from tidegate.demo.adopt.submission import JobError


def last_watermark(checkpoint: Path) -> int:
    """Return Spark's watermark in the last batch that was begun, in epoch ms."""
    log = checkpoint / "offsets"
    last = max(int(entry.name) for entry in log.iterdir() if entry.name.isdigit())
    # A version, the metadata of the batch, and the offset of each source.
    metadata = (log / str(last)).read_text().splitlines()[1]
    return int(json.loads(metadata)["batchWatermarkMs"])


def adopt(checkpoint: Path) -> str:
    """Run the command that adopts a checkpoint, and return its answer."""
    command = [sys.executable, "-m", "tidegate", "adopt", str(checkpoint)]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    if done.returncode != 0:
        raise JobError(f"The checkpoint was not adopted:\n{done.stderr}")
    return done.stdout.strip()
