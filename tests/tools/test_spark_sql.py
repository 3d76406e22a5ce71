"""The spark-sql shell, as the page on SQL tools has it."""

import pytest

from tools import pages
from tools.shell import Shell


@pytest.mark.at_night
def test_spark_sql_when_statements_come_in_three_ways_then_each_runs(shell: Shell) -> None:
    argument, shown, file, listed, piped = pages.blocks("The spark-sql shell")

    assert shell.output(argument.code) == shown.code
    assert shell.output(file.code) == listed.code

    wrong = "SELECT * FROM TUMBEL(TABLE(SELECT now() AS ts), DESCRIPTOR(ts), 5 seconds);"
    with (shell.folder / "functions.sql").open("a") as statements:
        statements.write(wrong)
    typed = shell.run(piped.code)
    # The shell echoes what it reads.
    assert all(line in typed.stdout for line in listed.code.splitlines())
    assert "[TIDEGATE_UNKNOWN_FUNCTION]" in typed.stderr
