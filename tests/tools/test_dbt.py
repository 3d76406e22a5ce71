"""dbt with a model over `TUMBLE`, as the page on dbt has it."""

import json
import re
from pathlib import Path

import pytest

from tools import pages
from tools.shell import Shell, free_port

DBT = Path(__file__).parent.parent.parent / "build" / "dbt" / "bin"

ORDERS = """
    CREATE TABLE orders AS SELECT * FROM VALUES
      ('a', TIMESTAMP '2026-01-01 12:00:10'), ('a', TIMESTAMP '2026-01-01 12:00:50'),
      ('b', TIMESTAMP '2026-01-01 12:01:20') AS t (shop, order_time)"""


@pytest.mark.at_night
def test_dbt_when_a_model_has_windows_then_makes_their_table(shell: Shell) -> None:
    if not DBT.is_dir():
        pytest.skip("There is no dbt: run make build/dbt/.ready.")
    install, server, *files, commands, shown = pages.blocks("An example", "dbt.md")
    requirements = Path(__file__).with_name("requirements-dbt.txt").read_text()
    assert re.findall(r'"([^"]+)"', install.code) == requirements.splitlines()[1:]
    port = str(free_port())
    for file in files:
        assert file.file is not None
        (shell.folder / file.file).parent.mkdir(exist_ok=True)
        (shell.folder / file.file).write_text(file.code.replace("10000", port))

    with shell.serving(server.code.replace("10000", port), "HiveThriftServer2 started"):
        shell.output(f'beeline -u jdbc:hive2://localhost:{port} -e "{ORDERS}"')
        run, show = commands.code.split(" && ")
        shell.output(f"PATH={DBT}:$PATH DO_NOT_TRACK=1\nexport DO_NOT_TRACK\n{run}")
        output = shell.output(f"PATH={DBT}:$PATH\n{show}")

    assert json.loads(output) == json.loads(shown.code)
