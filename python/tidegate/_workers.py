"""The Python in which Spark runs the functions of the user: it needs Tidegate too."""

import functools
import os
import shutil
import subprocess
import sys

from pyspark import SparkContext

from tidegate.errors import UnsupportedSessionError

VARIABLE = "PYSPARK_PYTHON"
"""Where Spark finds the Python of its workers; it reads the variable when it starts."""

_LOOK = (
    "import importlib.util, sys; sys.exit(3 if importlib.util.find_spec('tidegate') is None else 0)"
)

_LOOKS_UP_TO = 30.0
"""How long another Python may take to answer, in seconds."""


def is_local(master: str | None) -> bool:
    """Tell whether workers run on the machine of the driver."""
    return master is not None and master.startswith("local")


def use_own_python() -> None:
    """Let workers on this machine run in this Python, unless the user has chosen another one.

    Otherwise Spark takes the ``python3`` of the PATH, which in a virtual environment that is not
    activated is another one.
    """
    os.environ.setdefault(VARIABLE, sys.executable)


def check(method: str, context: SparkContext | None) -> None:
    """Refuse workers without Tidegate, as far as can be seen from here.

    Those on other machines cannot, and files that Spark sends to workers may have Tidegate.
    """
    if context is None or not is_local(context.master) or context._python_includes:
        return
    python = context.pythonExec
    found = shutil.which(python)
    if found is None or found == sys.executable:
        return
    if not _has_tidegate(found, tuple(context.environment.items())):
        raise UnsupportedSessionError(
            f"{method} needs Tidegate in the Python of Spark's workers, and {python}, which they "
            f"use ({found}), does not have it. Set {VARIABLE} to {sys.executable}, which has it, "
            "before the first session is created, or install Tidegate there."
        )


@functools.cache
def _has_tidegate(python: str, environment: tuple[tuple[str, str], ...]) -> bool:
    try:
        looked = subprocess.run(
            [python, "-c", _LOOK],
            env=os.environ | dict(environment),
            capture_output=True,
            timeout=_LOOKS_UP_TO,
        )
    except (OSError, subprocess.TimeoutExpired):
        # Spark tells more of a Python that does not run.
        return True
    return looked.returncode != 3
