"""`igen query`: SQL over all runs of a store."""

from __future__ import annotations

import json
from typing import Any

import click

from igen.cli import parameters as p

MOST_ROWS = 200
"""Rows shown on a terminal; JSON has all rows."""
MOST_SIGNS = 80
"""Characters of a cell on a terminal."""


@click.command()
@click.argument("sql")
@p.store_option
@p.json_option
def query(sql: str, store: str | None, as_json: bool) -> None:
    """Query all recorded runs with SQL.

    SQL is one SELECT in the dialect of DuckDB, or DESCRIBE or SUMMARIZE of a table. Queries cannot write.
    Each row of a table is:

    \b
      runs       a run
      jobs       an executed job: one level, one repeat
      intervals  an interval of a job, with warm-up (phase = 'measure': the measurement)
      readings   a value that a monitor read on a host: the load machine, or a tier (ssh://db1)
      facts      a fact about the system or the workload

    `run` and `job` join the tables, which hold recorded intervals only. `igen show --json` prints
    verdicts and confidence intervals.

    \b
    Examples:
      igen query "SELECT run, system, workload, state FROM runs"
      igen query "DESCRIBE intervals"
      igen query "SELECT run, users, sum(count) AS transactions FROM intervals WHERE phase = 'measure'
                  GROUP BY ALL ORDER BY ALL" --json
    """
    from igen.store.query import query as run_query
    from igen.store.store import Store

    answer = run_query(Store(store), sql)
    if as_json:
        from igen.cli.output import print_json

        print_json([dict(zip(answer.columns, map(_value, row), strict=True)) for row in answer.rows])
        return
    from igen.cli.output import aligned

    cells = [[_cell(_value(value)) for value in row] for row in answer.rows[:MOST_ROWS]]
    for line in aligned([answer.columns, *cells]):
        click.echo(line)
    if len(answer.rows) > MOST_ROWS:
        left = len(answer.rows) - MOST_ROWS
        click.echo(f"... and {left:,} more rows: --json prints all rows", err=True)


def _value(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        return {str(key): _value(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(each) for each in value]
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = "".join(sign if sign.isprintable() else " " for sign in text)
    return text if len(text) <= MOST_SIGNS else f"{text[: MOST_SIGNS - 3]}..."
