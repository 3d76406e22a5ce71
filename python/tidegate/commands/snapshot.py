"""The command line ``python -m tidegate snapshot``."""

import argparse
import sys

import tidegate
from tidegate.commands.checkpoint import in_session

DESCRIPTION = "Export, inspect, verify and start snapshots: copies of what a query needs."


def main(arguments: list[str]) -> int:
    """Run the command that the arguments name, and return the exit code."""
    parsed = _parser().parse_args(arguments)
    return in_session("snapshot", lambda: str(parsed.act(parsed)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tidegate snapshot", description=DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    export = commands.add_parser("export", help="copy a checkpoint; its query may run")
    export.add_argument("checkpoint", help="the checkpointLocation of a query")
    export.add_argument("path", help="a folder that does not exist yet")
    export.add_argument("--output", help="the folder of the query's sink of files")
    export.set_defaults(act=_export)

    inspect = commands.add_parser("inspect", help="show what a snapshot or a checkpoint holds")
    inspect.add_argument("path", help="the folder of a snapshot or a checkpoint")
    inspect.add_argument("--json", action="store_true", help="print JSON in place of a table")
    inspect.add_argument("--no-rows", action="store_true", help="do not count the rows of states")
    inspect.set_defaults(act=_inspect)

    verify = commands.add_parser("verify", help="compare all files with their checksums")
    verify.add_argument("path", help="the folder of a snapshot")
    verify.set_defaults(act=_verify)

    start = commands.add_parser("start", help="make a checkpoint of a snapshot")
    start.add_argument("snapshot", help="the folder of a snapshot")
    start.add_argument("checkpoint", help="a folder that does not exist yet")
    start.add_argument("--output", help="the folder of the new query's sink of files")
    start.set_defaults(act=_start)

    listed = commands.add_parser("list", help="list the snapshots of a folder")
    listed.add_argument("path", help="the folder in which the snapshots are")
    listed.add_argument("--keep", type=int, help="delete all but so many, the oldest first")
    listed.set_defaults(act=_list)
    return parser


def _export(arguments: argparse.Namespace) -> str:
    info = tidegate.exportSnapshot(
        arguments.checkpoint, arguments.path, arguments.output, progress=_show
    )
    return _line(info)


def _inspect(arguments: argparse.Namespace) -> str:
    found = tidegate.inspectSnapshot(arguments.path, countRows=not arguments.no_rows)
    if arguments.json:
        return found.json
    begun = "" if found.begun is None else f", batch {found.begun} was begun"
    return f"query {found.query}, batch {found.batch} of {found.batchTime}{begun}\n{found}"


def _verify(arguments: argparse.Namespace) -> str:
    return _line(tidegate.verifySnapshot(arguments.path))


def _start(arguments: argparse.Namespace) -> str:
    new = tidegate.startSnapshot(
        arguments.snapshot, arguments.checkpoint, arguments.output, progress=_show
    )
    return f"The query {new} continues from {arguments.checkpoint}."


def _list(arguments: argparse.Namespace) -> str:
    return "\n".join(_line(info) for info in tidegate.snapshots(arguments.path, arguments.keep))


def _line(info: tidegate.SnapshotInfo) -> str:
    if not info.isComplete:
        return f"{info.path}: the export was cut off"
    return (
        f"{info.path}: batch {info.batch} of {info.query}, {info.files} files, "
        f"{info.bytes} bytes, exported at {info.exportedAt}"
    )


def _show(copied: int, total: int) -> None:
    if sys.stderr.isatty() and total > 0:
        end = "\n" if copied >= total else ""
        print(f"\r{copied * 100 // total} % of {total} bytes", end=end, file=sys.stderr, flush=True)
