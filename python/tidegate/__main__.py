"""``python -m tidegate demo``, ``adopt`` and others: the commands of the package."""

import importlib
import sys

COMMANDS = {
    "demo": "tidegate.demo.command",
    "demo-kafka": "tidegate.demo.kafka.command",
    "demo-adopt": "tidegate.demo.adopt.command",
    "adopt": "tidegate.commands.adopt",
    "release": "tidegate.commands.release",
    "snapshot": "tidegate.commands.snapshot",
}
USAGE = f"usage: python -m tidegate {{{','.join(COMMANDS)}}} [--help]"
DEMO_EXTRA = {"matplotlib", "numpy", "pyarrow", "rich"}


def main(arguments: list[str]) -> int:
    """Run the command that the arguments name, and return the exit code."""
    if not arguments or arguments[0] not in COMMANDS:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        command = importlib.import_module(COMMANDS[arguments[0]])
    except ModuleNotFoundError as error:
        if error.name not in DEMO_EXTRA:
            raise
        print(
            f"The demo needs {error.name}, which is not installed. Run: pip install "
            '"tidegate[demo]"',
            file=sys.stderr,
        )
        return 1
    code: int = command.main(arguments[1:])
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
