"""``python -m tidegate demo``: the commands of the package."""

import sys

USAGE = "usage: python -m tidegate demo [--help]"
DEMO_EXTRA = {"matplotlib", "numpy", "pyarrow"}


def main(arguments: list[str]) -> int:
    """Run the command that the arguments name, and return the exit code."""
    if not arguments or arguments[0] != "demo":
        print(USAGE, file=sys.stderr)
        return 2
    try:
        from tidegate.demo.command import main as demo
    except ModuleNotFoundError as error:
        if error.name not in DEMO_EXTRA:
            raise
        print(
            f"The demo needs {error.name}, which is not installed. Run: pip install "
            '"tidegate[demo]"',
            file=sys.stderr,
        )
        return 1
    return demo(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
