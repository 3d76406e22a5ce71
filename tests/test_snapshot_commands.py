"""Snapshots from the command line: what each command prints, and what it refuses."""

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tidegate
from commands import Done, command, in_process
from feeds import Feed, counts


def run(feed: Feed) -> list[tuple[object, ...]]:
    """Count the rows of each minute, by a keyed watermark."""
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", idleTimeout=None)
    return feed.run(counts(keyed))


def printed(*arguments: str) -> str:
    """Return all that a command prints."""
    done = command("snapshot", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(*arguments: str, run: Callable[..., Done] = command) -> str:
    """Return the last line that a command writes to stderr; above are those of Spark's log."""
    done = run("snapshot", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr.strip().splitlines()[-1]


def line(info: tidegate.SnapshotInfo) -> str:
    return (
        f"{info.path}: batch {info.batch} of {info.query}, {info.files} files, {info.bytes} bytes, "
        f"exported at {info.exportedAt}\n"
    )


@pytest.fixture
def checkpoint(feed: Feed) -> str:
    """Return the checkpoint of a query with one window that is open."""
    feed.add(("12:00:10", 0), ("12:01:10", 0))
    assert run(feed) == [("12:00", 1)]
    return feed.checkpoint


@pytest.fixture
def snapshot(checkpoint: str, tmp_path: Path) -> str:
    path = str(tmp_path / "snapshots" / "monday")
    tidegate.exportSnapshot(checkpoint, path)
    return path


def test_export_and_start_when_a_checkpoint_moves_then_each_says_what_it_did(
    feed: Feed, checkpoint: str, tmp_path: Path
) -> None:
    path, fork = str(tmp_path / "snapshot"), str(tmp_path / "fork")

    exported = printed("export", checkpoint, path)
    started = printed("start", path, fork)

    assert exported == line(tidegate.verifySnapshot(path))
    new_id = json.loads(Path(fork, "metadata").read_text())["id"]
    assert started == f"The query {new_id} continues from {fork}.\n"
    feed.add(("12:01:20", 0), ("12:02:10", 0))
    feed.checkpoint = fork
    assert run(feed) == [("12:01", 2)]


@pytest.mark.at_night
def test_export_when_stderr_is_a_terminal_then_shows_the_progress(
    checkpoint: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "snapshot")
    reader, terminal = pty.openpty()
    arguments = [sys.executable, "-m", "tidegate", "snapshot", "export", checkpoint, path]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=terminal, text=True)
    os.close(terminal)
    shown = b""
    # Linux ends a terminal that nobody has open with an error.
    with contextlib.suppress(OSError):
        while part := os.read(reader, 4096):
            shown += part
    os.close(reader)
    printed, _ = process.communicate()

    info = tidegate.verifySnapshot(path)
    assert printed == line(info)
    assert f"\r100 % of {info.bytes} bytes\r\n" in shown.decode()


def test_export_and_start_when_folders_have_files_then_refuse_them(
    checkpoint: str, snapshot: str
) -> None:
    for arguments, folder in (
        (("export", checkpoint, snapshot), snapshot),
        (("start", snapshot, checkpoint), checkpoint),
    ):
        assert refusal(*arguments) == (
            f"[TIDEGATE_SNAPSHOT_PATH_EXISTS] The folder {folder} exists and is not empty, and "
            "nothing in it is overwritten. Name a folder that does not exist yet. SQLSTATE: 42710"
        )


def test_start_when_the_checkpoint_would_be_in_the_snapshot_then_refuses_it(snapshot: str) -> None:
    inside = f"{snapshot}/new"
    assert refusal("start", snapshot, inside) == (
        f"[TIDEGATE_PATHS_NOT_APART] The argument `checkpoint` of startSnapshot is {inside}, which "
        f"is in the folder {snapshot}: what is written there would change what is copied. Name a "
        "folder outside of it. SQLSTATE: 22023"
    )
    assert not Path(inside).exists()
    tidegate.verifySnapshot(snapshot)


def test_output_when_the_sink_writes_files_then_its_log_moves_along(
    feed: Feed, tmp_path: Path
) -> None:
    output, path, fork = (str(tmp_path / name) for name in ("output", "snapshot", "fork"))
    new_output = f"{output}-of-fork"
    feed.add(("12:00:10", 0), ("12:01:10", 0))

    def write(folder: str, checkpoint: str) -> None:
        keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", idleTimeout=None)
        named = counts(keyed).toDF("minute", "n")
        writer = named.writeStream.format("json").option("checkpointLocation", checkpoint)
        query = writer.trigger(availableNow=True).start(folder)
        assert query.awaitTermination(120)

    write(output, feed.checkpoint)
    exported = printed("export", feed.checkpoint, path, "--output", output)
    printed("start", path, fork, "--output", new_output)
    feed.add(("12:02:10", 0))
    write(new_output, fork)

    assert exported == line(tidegate.verifySnapshot(path))
    rows = feed.spark.read.schema("minute string, n long").json(new_output).collect()
    assert [tuple(row) for row in rows] == [("12:01", 1)]


def test_output_when_there_is_no_log_of_a_sink_then_says_so(
    checkpoint: str, snapshot: str, tmp_path: Path
) -> None:
    output, new = str(tmp_path / "output"), str(tmp_path / "new")
    for arguments, location in (
        (("export", checkpoint, new, "--output", output), output),
        (("start", snapshot, new, "--output", output), snapshot),
    ):
        assert refusal(*arguments) == (
            "[TIDEGATE_NO_SINK_LOG] The argument output is for the log of a sink of files, and "
            f"{location} has no such log. Leave output out; or export again, with the folder to "
            "which the query writes files. SQLSTATE: 55000"
        )
        assert not Path(new).exists()


def test_verify_when_nothing_was_changed_then_shows_the_snapshot(snapshot: str) -> None:
    (info,) = tidegate.snapshots(str(Path(snapshot).parent))
    assert printed("verify", snapshot) == line(info).removeprefix("file:")


def test_verify_when_files_were_changed_by_hand_then_names_them(snapshot: str) -> None:
    Path(snapshot, "offsets", "0").write_text("mine")
    Path(snapshot, "offsets", ".0.crc").unlink(missing_ok=True)
    Path(snapshot, "mine").write_text("mine")
    size = {
        path: bytes_
        for path, bytes_, _ in json.loads(
            Path(snapshot, "tidegate.snapshot").read_text().splitlines()[0]
        )["files"]
    }["offsets/0"]
    assert refusal("verify", snapshot) == (
        f"[TIDEGATE_SNAPSHOT_CHANGED] The snapshot {snapshot} is not as it was exported: "
        f"offsets/0 has 4 bytes in place of {size}, mine was added. Restore these files, or use "
        "another snapshot. SQLSTATE: 55000"
    )


def cut_off(snapshot: str) -> None:
    """Leave what an export that was cut off leaves."""
    Path(snapshot, "tidegate.snapshot").rename(Path(snapshot, "tidegate.snapshot.begun"))


def test_verify_when_the_export_was_cut_off_then_says_so(snapshot: str) -> None:
    cut_off(snapshot)
    assert refusal("verify", snapshot) == (
        f"[TIDEGATE_SNAPSHOT_CUT_OFF] The copy into {snapshot} was cut off before its end, so the "
        "folder is not complete. Delete the folder, and copy again. SQLSTATE: 55000"
    )


def test_list_when_some_are_kept_then_the_oldest_are_deleted(
    checkpoint: str, snapshot: str
) -> None:
    folder = Path(snapshot).parent
    tidegate.exportSnapshot(checkpoint, f"{folder}/cut")
    cut_off(f"{folder}/cut")
    for name in ("tuesday", "wednesday"):
        tidegate.exportSnapshot(checkpoint, f"{folder}/{name}")
    days = [line(info) for info in tidegate.snapshots(str(folder)) if info.isComplete]
    cut = f"file:{folder}/cut: the export was cut off\n"

    assert printed("list", str(folder)) == cut + "".join(days)
    assert printed("list", str(folder), "--keep", "2") == cut + "".join(days[1:])
    assert sorted(os.listdir(folder)) == ["cut", "tuesday", "wednesday"]


def test_list_when_none_would_stay_then_refuses_and_deletes_nothing(snapshot: str) -> None:
    assert refusal("list", str(Path(snapshot).parent), "--keep", "0") == (
        "[TIDEGATE_SNAPSHOT_KEEP] keep must be 1 or more, found 0. To delete all snapshots, delete "
        "their folders. SQLSTATE: 22023"
    )
    assert Path(snapshot, "tidegate.snapshot").exists()


@pytest.mark.usefixtures("rhythm_of_spark")
def test_inspect_when_asked_for_json_then_prints_each_stage(snapshot: str) -> None:
    found = json.loads(printed("inspect", snapshot, "--json"))

    seconds = 1_767_268_865_000  # 2026-01-01 12:01:05
    watermark, substream, operator, source = found["stages"]
    assert watermark == {
        "stage": "time",
        "kind": "watermark",
        "of": None,
        "watermark": seconds,
        "idle": False,
        "keys": None,
        "rows": None,
        "bytes": None,
        "detail": "key 0, fixedLag(5000 ms), one substream",
    }
    assert substream["detail"].startswith("last rows at 20")
    assert (substream["stage"], substream["kind"], substream["of"]) == ("*", "substream", "time")
    assert operator["bytes"] > 0
    assert operator | {"bytes": 1} == {
        "stage": "aggregate",
        "kind": "operator",
        "of": None,
        "watermark": seconds,
        "idle": False,
        "keys": "chunk INT,all_rows BOOLEAN NOT NULL",
        "rows": 1,
        "bytes": 1,
        "detail": operator["detail"],
    }
    assert operator["detail"].startswith(
        "frameAggregate in state/1000, 1 partitions; windows of 60000 ms by 60000 ms; "
        "values frame_end TIMESTAMP,`count(1)` BIGINT,"
    )
    assert (source["stage"], source["kind"]) == ("0", "source")
    assert source["detail"] == '{"logOffset":0}'
    assert printed("inspect", snapshot, "--json", "--no-rows") == (
        json.dumps(
            found | {"stages": [s | {"rows": None} for s in found["stages"]]},
            separators=(",", ":"),
            ensure_ascii=False,
        )
        + "\n"
    )


@pytest.mark.usefixtures("rhythm_of_spark")
def test_inspect_when_printed_then_shows_a_table(snapshot: str) -> None:
    for options, rows in (((), True), (("--no-rows",), False)):
        found = tidegate.inspectSnapshot(snapshot, countRows=rows)
        assert printed("inspect", snapshot, *options) == (
            f"query {found.query}, batch {found.batch} of {found.batchTime}\n{found}\n"
        )
        table = [line.strip("|").split("|") for line in str(found).splitlines()]
        assert [cell.strip() for cell in table[1]] == list(found.toDF().columns)
        kinds = [cells[1].strip() for cells in table[3:-1]]
        assert kinds == ["watermark", "substream", "operator", "source"]


@pytest.mark.usefixtures("rhythm_of_spark")
def test_inspect_when_a_batch_was_begun_then_shows_its_number(feed: Feed, checkpoint: str) -> None:
    before = tidegate.inspectSnapshot(checkpoint, countRows=False)
    Path(checkpoint, "commits", str(before.batch)).unlink()
    found = tidegate.inspectSnapshot(checkpoint, countRows=False)

    first = printed("inspect", checkpoint, "--no-rows").splitlines()[0]

    assert first == (
        f"query {found.queryId}, batch {before.batch - 1} of {found.batchTime}, "
        f"batch {before.batch} was begun"
    )


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "the path is empty"),
        ("hdfs://nowhere.invalid/x", "the host nowhere.invalid is not known"),
    ],
)
def test_command_when_a_path_cannot_be_reached_then_says_so(path: str, reason: str) -> None:
    for name, call in (("verify", "verifySnapshot"), ("list", "snapshots")):
        assert refusal(name, path) == (
            f"[TIDEGATE_PATH_UNUSABLE] The argument `path` of {call} is '{path}', and no files can "
            f"be looked for there: {reason}. Name a folder that this process can reach, such as "
            "'/data/one' or 's3a://bucket/one'. SQLSTATE: 22023"
        )


@pytest.mark.parametrize("name", ["verify", "start", "inspect", "list"])
def test_command_when_there_is_no_snapshot_then_says_so(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere")
    arguments = [path, str(tmp_path / "new")] if name == "start" else [path]
    expected = {
        "inspect": (
            f"[TIDEGATE_NO_CHECKPOINT] {path} is no checkpoint of a streaming query: it has no "
            "offsets. Give the folder that was the query's checkpointLocation. SQLSTATE: 42K03"
        )
    }.get(
        name,
        f"[TIDEGATE_NO_SNAPSHOT] The folder {path} is no snapshot: it lacks the file "
        "tidegate.snapshot. Name a folder that exportSnapshot has written. SQLSTATE: 42K03",
    )
    run = in_process if name == "start" else command
    assert refusal(name, *arguments, run=run) == expected
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["start", "a"], "the following arguments are required: checkpoint"),
        (["list", "a", "--keep", "two"], "argument --keep: invalid int value: 'two'"),
        (["verify", "a", "--json"], "unrecognized arguments: --json"),
    ],
)
def test_command_when_arguments_are_wrong_then_starts_no_spark(
    arguments: list[str], message: str
) -> None:
    done = in_process("snapshot", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        rf"python -m tidegate snapshot( \w+)?: error: {re.escape(message)}",
        done.stderr.splitlines()[-1],
    )
