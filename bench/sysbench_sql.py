"""sysbench as a peer on MariaDB: a workload's transaction as a Lua script, and its own load of rows."""

from __future__ import annotations

import re
from pathlib import Path

from bench.servers import Server
from bench.steady import Client, Window
from bench.transaction import Transaction

REPORT = re.compile(r"\[ \d+s \] thds: \d+ tps: ([\d.]+)")

LOAD_TABLES = 2
"""sysbench loads a table on one thread: two, for two processors."""


def script(transaction: Transaction) -> str:
    """The transaction in Lua, in the way of sysbench's own scripts: all statements are prepared, and a
    result is fetched as a whole, but no column of it is read."""
    steps = transaction.steps()
    names = [f"statement_{number}" for number in range(1, len(steps) + 1)]
    prepare, run = [], []
    for name, (statement, parameters) in zip(names, steps, strict=True):
        bound = [f"{name}_{number}" for number in range(1, len(parameters) + 1)]
        prepare.append(f'{name} = con:prepare("{statement}")')
        prepare += [f"{parameter} = {name}:bind_create(sysbench.sql.type.INT)" for parameter in bound]
        prepare.append(f"{name}:bind_param({', '.join(bound)})")
        run += [f"{parameter}:set({value})" for parameter, value in zip(bound, parameters, strict=True)]
        run.append(f"{name}:execute()")
    draw = [f"local {name} = {drawn.lua}" for name, drawn in transaction.variables.items()]
    return "\n".join(
        [
            "function thread_init()",
            "con = sysbench.sql.driver():connect()",
            'begin = con:prepare("BEGIN")',
            'commit = con:prepare("COMMIT")',
            *prepare,
            "end",
            "function event()",
            *draw,
            "begin:execute()",
            *run,
            "commit:execute()",
            "end",
            "function thread_done()",
            "con:disconnect()",
            "end",
            "",
        ]
    )


def clients(
    server: Server, host: str, script_file: Path, connections: int, window: Window
) -> dict[str, Client]:
    """sysbench with a thread for each connection, the only way it has, reporting each second."""
    load = [f"--threads={connections}", f"--time={window.run_s}", "--events=0", "--report-interval=1"]
    command = ["sysbench", str(script_file), *_connection(server, host), *load, "run"]
    return {"sysbench": Client(command, rate_per_s)}


def load_command(server: Server, rows: int) -> list[str]:
    """Creates and loads sysbench's own tables, one thread for each."""
    sizes = [f"--table-size={rows // LOAD_TABLES}", f"--tables={LOAD_TABLES}", f"--threads={LOAD_TABLES}"]
    return ["sysbench", "oltp_read_write", *_connection(server, server.host), *sizes, "prepare"]


def rate_per_s(line: str) -> float | None:
    """Transactions a second, if `line` is an intermediate report."""
    found = REPORT.match(line)
    return float(found[1]) if found else None


def _connection(server: Server, host: str) -> list[str]:
    place = (
        [f"--mysql-socket={host}"]
        if host.startswith("/")
        else [f"--mysql-host={host}", f"--mysql-port={server.port}"]
    )
    account = [f"--mysql-user={server.user}", f"--mysql-db={server.database}", "--mysql-ssl=off"]
    return ["--db-driver=mysql", *place, *account]
