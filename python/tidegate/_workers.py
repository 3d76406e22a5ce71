"""The Python in which Spark runs the functions of the user: it needs Tidegate too."""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.serializers import CloudPickleSerializer

from tidegate.errors import UnsupportedSessionError

if TYPE_CHECKING:
    from pyspark import SparkContext

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


def check(method: str, context: "SparkContext | None") -> None:
    """Refuse workers without Tidegate, as far as can be seen from here.

    Those on other machines cannot: `carried` tells of them. Files that Spark sends to workers may
    have Tidegate.
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


def carried(method: str, mapper: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that says in the worker if Tidegate is missing there.

    A function in a function is pickled with its code: it can be read where its module is not.
    """
    pickled = CloudPickleSerializer().dumps(mapper)  # type: ignore[no-untyped-call]
    variable = VARIABLE

    def mapped(batches: Any) -> Any:
        # Nothing of this module: where Tidegate is missing, the module is missing too.
        import importlib.util
        import os
        import pickle
        import socket
        import sys

        if importlib.util.find_spec("tidegate") is None:
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"
            raise ModuleNotFoundError(
                f"{method} needs Tidegate in the Python of Spark's workers, and {sys.executable} "
                f"on {socket.gethostname()} does not have it. Install Tidegate there, or set "
                f"{variable} to a Python that has it on each machine, before the first session is "
                "created.",
                name="tidegate",
            )
        return pickle.loads(pickled)(batches)

    return mapped


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
