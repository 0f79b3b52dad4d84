"""The list of runs in SQLite: a copy of what the folders say, brought up to date whenever it is read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from igen.errors import Interrupted
from igen.file_format import UnknownFormat
from igen.store.access import not_read
from igen.store.active import active_runs
from igen.store.job_file import has_measured, read_job_ends
from igen.store.run import RUN_FILE, Run, RunOutcome

CATALOG_FILE = "catalog.sqlite"
_VERSION = 2


class CatalogRow(msgspec.Struct, frozen=True, kw_only=True):
    """What `igen list runs` shows of a run."""

    run: str
    created_unix_s: float
    system: str
    name: str
    title: str
    workload: str
    levels: int
    jobs: int
    """Executions."""
    state: str
    """`running`, `complete`, `interrupted`, `failed` (a job failed), `cut off` (it or a job has no end), `of
    a later igen`."""
    measured: bool
    """Whether any job got as far as an interval of its measurement."""


_COLUMNS = CatalogRow.__struct_fields__


def list_runs(store: Path) -> list[CatalogRow]:
    """Every run of the store, oldest first. Raises `IgenError` where a folder cannot be read."""
    try:
        return _list_readable_runs(store) if store.is_dir() else []
    except OSError as error:
        raise not_read(store, error) from error


def _list_readable_runs(store: Path) -> list[CatalogRow]:
    path = store / CATALOG_FILE
    try:
        return _list_runs(store, str(path))
    except sqlite3.OperationalError:
        # Locked for long, on read-only media or without space: the folders know all.
        return _list_runs(store, ":memory:")
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        return _list_runs(store, str(path))


def _list_runs(store: Path, database: str) -> list[CatalogRow]:
    with closing(sqlite3.connect(database, timeout=5.0)) as connection:
        _create(connection)
        with connection:
            _synchronise(connection, store)
        rows = connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM runs ORDER BY created_unix_s, run")
        found = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
        return [CatalogRow(**row | {"measured": bool(row["measured"])}) for row in found]


def _create(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA user_version").fetchone() == (_VERSION,):
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("DROP TABLE IF EXISTS runs")
        columns = ", ".join(_COLUMNS[1:])
        connection.execute(f"CREATE TABLE runs (run TEXT PRIMARY KEY, {columns}, fingerprint TEXT)")
        connection.execute(f"PRAGMA user_version = {_VERSION}")


def _synchronise(connection: sqlite3.Connection, store: Path) -> None:
    known = dict(connection.execute("SELECT run, fingerprint FROM runs"))
    active = active_runs(store)
    runs = {folder.name: Run(folder) for folder in run_folders(store)}
    connection.executemany("DELETE FROM runs WHERE run = ?", [(run,) for run in known.keys() - runs.keys()])
    for run in runs.values():
        fingerprint = _fingerprint(run, active)
        if known.get(run.id) != fingerprint:
            row = msgspec.to_builtins(_row_of(run, active))
            marks = ", ".join("?" * (len(_COLUMNS) + 1))
            connection.execute(
                f"INSERT OR REPLACE INTO runs ({', '.join(_COLUMNS)}, fingerprint) VALUES ({marks})",
                (*(row[column] for column in _COLUMNS), fingerprint),
            )


def run_folders(store: Path) -> list[Path]:
    """The folders in `store` that hold a run."""
    return [folder for folder in sorted(store.iterdir()) if is_run_folder(folder)]


def is_run_folder(folder: Path) -> bool:
    """Whether a folder holds a run."""
    holds_run = (folder / RUN_FILE).is_file() or (folder / "jobs").is_dir()
    return holds_run and not folder.name.startswith(".")


def _fingerprint(run: Run, active: set[str]) -> str:
    sizes = [path.stat().st_size for path in run.job_paths()]
    record = run.folder / RUN_FILE
    written_ns = record.stat().st_mtime_ns if record.exists() else 0
    running = ", running" if run.id in active else ""
    return f"{len(sizes)} jobs, {sum(sizes)} bytes, record of {written_ns}{running}"


def _row_of(run: Run, active: set[str]) -> CatalogRow:
    """One that a later release has written is listed, and hides no other."""
    try:
        return _row(run, active)
    except UnknownFormat:
        return CatalogRow(
            run=run.id,
            created_unix_s=run.folder.stat().st_mtime,
            system=run.id,
            name=run.id,
            title=run.id,
            workload="",
            levels=0,
            jobs=len(run.job_paths()),
            state="of a later igen",
            measured=False,
        )


def _row(run: Run, active: set[str]) -> CatalogRow:
    record = run.read_record()
    ends = [read_job_ends(path) for path in run.job_paths()]
    starts = [start for start, _ in ends if start is not None]
    return CatalogRow(
        run=run.id,
        created_unix_s=record.created_unix_s,
        system=record.system,
        name=record.name,
        title=record.title,
        workload=str(starts[0].get("job", {}).get("workload", "")) if starts else "",
        levels=len({start.get("level") for start in starts}),
        jobs=len(ends),
        state="running" if run.id in active else _state(record.outcome, [end for _, end in ends]),
        measured=any(has_measured(path) for path in run.job_paths()),
    )


def _state(outcome: RunOutcome, ends: list[dict[str, object] | None]) -> str:
    if outcome in ("interrupted", "failed"):
        return outcome
    known = [end for end in ends if end is not None]
    if not known or len(known) < len(ends) or outcome == "begun":
        return "cut off"
    if any(end.get("interrupted") or end.get("exit_code") == Interrupted.exit_code for end in known):
        return "interrupted"
    failed = any(end.get("exit_code") or end.get("signal") for end in known)
    return "failed" if failed else "complete"
