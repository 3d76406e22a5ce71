"""The Thrift server with a JDBC client, as the page on SQL tools has it."""

import pytest

from tools import pages
from tools.shell import Shell, free_port


@pytest.mark.at_night
def test_thrift_server_when_a_jdbc_client_connects_then_tidegates_sql_runs(shell: Shell) -> None:
    server, client, shown = pages.blocks("The Thrift server")
    port = str(free_port())

    with shell.serving(server.code.replace("10000", port), "HiveThriftServer2 started"):
        # The first connection that ends closes the class loader of `--jars`.
        shell.output(f"beeline -u jdbc:hive2://localhost:{port} -e 'SELECT 1'")
        command = client.code.replace("10000", port)
        assert shell.output(command) == shown.code

        wrong = shell.run(
            f'beeline -u jdbc:hive2://localhost:{port} -e "'
            'SELECT * FROM HOP(orders, DESCRIPTOR(order_time), 5 seconds, 1 minute)"'
        )
        assert wrong.returncode != 0
        assert "[TIDEGATE_HOP_SWAPPED] HOP takes size first" in wrong.stderr
