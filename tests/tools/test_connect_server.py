"""The server of Spark Connect from PySpark's own files, as the page on SQL tools has it."""

import contextlib
import io
from typing import Any

import pytest

from tools import pages
from tools.shell import Shell, free_port


@pytest.mark.at_night
def test_connect_server_when_a_client_connects_then_tidegates_sql_runs(shell: Shell) -> None:
    server, client, shown = pages.blocks("Spark Connect")
    port = str(free_port())

    with (
        shell.serving(server.code.replace("15002", port), "Spark Connect server started"),
        contextlib.ExitStack() as stack,
    ):
        names: dict[str, Any] = {}
        # A client that lives longer than its server waits for it.
        stack.callback(lambda: names["spark"].stop())
        out = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        exec(client.code.replace("15002", port), names)
    assert out.getvalue().strip() == shown.code.strip()
