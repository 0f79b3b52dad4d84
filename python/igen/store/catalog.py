"""The list of runs in SQLite: a copy of the folders' content, updated at every read."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from igen.file_format import UnknownFormat
from igen.store.access import not_read
from igen.store.active import active_runs
from igen.store.files import others_may_change, size_of
from igen.store.job_file import has_measured, read_job_ends
from igen.store.notes import NOTES_FILE, read_notes
from igen.store.run import RUN_FILE, Run
from igen.store.search import condition_of
from igen.store.state import OF_THIS_HOST, state_of

CATALOG_FILE = "catalog.sqlite"
_VERSION = 4


class CatalogRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run in `igen list runs`."""

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
    """A state of `igen.store.state`, or `of a later igen`."""
    measured: bool
    """True if a job recorded an interval of its measurement."""
    tags: list[str] = []
    notes: int = 0
    """Number of notes."""
    peak_per_s: float | None = None
    """Highest throughput of its peaks or levels; None until it is judged."""
    verdict: str = ""
    """Verdict of the level with this peak; empty until it is judged."""


class CatalogPage(msgspec.Struct, frozen=True):
    """Part of the runs that match a search, the newest first."""

    rows: list[CatalogRow]
    found: int
    """Number of all matching runs."""


_JUDGED = ("peak_per_s", "verdict")
"""Columns of the table of verdicts."""
_COLUMNS = tuple(name for name in CatalogRow.__struct_fields__ if name not in _JUDGED)
_JOINED = f"""SELECT {", ".join(f"runs.{name} AS {name}" for name in _COLUMNS)}, peak_per_s,
    ifnull(verdict, '') AS verdict
    FROM runs LEFT JOIN judged ON judged.run = runs.run AND judged.jobs = runs.jobs_fingerprint"""


def list_runs(store: Path) -> list[CatalogRow]:
    """Return every run of the store, oldest first. Raises `IgenError` if a folder cannot be read."""
    return _asked(store, _all_rows) if store.is_dir() else []


def find_runs(store: Path, search: str, *, offset: int, most: int, fresh: bool = True) -> CatalogPage:
    """Those that `igen.store.search` describes, the newest first, from an offset on.

    Where `fresh` is false the catalog is asked as it is, unless there is none: that takes the same time in a
    store of many thousand runs. Raises `InputError` for what cannot be looked for, and `IgenError`.
    """
    condition = condition_of(search)

    def ask(connection: sqlite3.Connection) -> CatalogPage:
        asked = f"SELECT * FROM ({_JOINED}) WHERE {condition.sql}"
        (found,) = connection.execute(f"SELECT count(*) FROM ({asked})", condition.values).fetchone()
        order = "ORDER BY created_unix_s DESC, run DESC LIMIT ? OFFSET ?"
        rows = connection.execute(f"{asked} {order}", [*condition.values, most, offset])
        return CatalogPage([_row_from(row) for row in rows], found)

    return _asked(store, ask, fresh=fresh) if store.is_dir() else CatalogPage([], 0)


def catalog_row(store: Path, run: Run) -> CatalogRow | None:
    """Return the row of a run, read again; None if there is no such run."""
    if not is_run_folder(run.folder):
        return None

    def ask(connection: sqlite3.Connection) -> CatalogRow | None:
        rows = connection.execute(f"SELECT * FROM ({_JOINED}) WHERE run = ?", [run.id])
        return next((_row_from(row) for row in rows), None)

    return _asked(store, ask, only=run.id)


def measured_workloads(store: Path) -> dict[str, int]:
    """Return the measured workloads, with the number of their runs."""

    def ask(connection: sqlite3.Connection) -> dict[str, int]:
        sql = "SELECT workload, count(*) FROM runs WHERE measured AND workload != '' GROUP BY workload"
        return dict(tuple(row) for row in connection.execute(sql))

    return _asked(store, ask, fresh=False) if store.is_dir() else {}


def keep_judged(store: Path, run: Run, peak_per_s: float | None, verdict: str) -> None:
    """Writes into the catalog what was found of a run that has ended, so that it can be looked for.

    Does nothing where the catalog cannot be written: whoever reads the run finds it again.
    """

    def keep(connection: sqlite3.Connection) -> None:
        with connection:
            sql = "INSERT OR REPLACE INTO judged SELECT run, jobs_fingerprint, ?, ? FROM runs WHERE run = ?"
            connection.execute(sql, [peak_per_s, verdict, run.id])

    if is_run_folder(run.folder):
        _asked(store, keep, only=run.id)


Answer = TypeVar("Answer")


def _asked(
    store: Path,
    ask: Callable[[sqlite3.Connection], Answer],
    *,
    fresh: bool = True,
    only: str | None = None,
) -> Answer:
    """Yield the catalog, after an update."""
    path = store / CATALOG_FILE
    try:
        if _others_may_change(store):
            return _answer(store, ":memory:", ask, fresh=True, only=only)
        try:
            return _answer(store, str(path), ask, fresh=fresh, only=only)
        except sqlite3.OperationalError:
            # Locked for long, on read-only media or without space: the folders know all.
            return _answer(store, ":memory:", ask, fresh=True, only=only)
        except sqlite3.DatabaseError:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            return _answer(store, str(path), ask, fresh=True, only=only)
    except OSError as error:
        raise not_read(store, error) from error


def _others_may_change(store: Path) -> bool:
    """True if a catalog of this store may be a link, or may hold what other users wrote."""
    found = [store.stat()]
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            found.append((store / f"{CATALOG_FILE}{suffix}").lstat())
    return any(map(others_may_change, found))


def _answer(
    store: Path,
    database: str,
    ask: Callable[[sqlite3.Connection], Answer],
    *,
    fresh: bool,
    only: str | None,
) -> Answer:
    with closing(sqlite3.connect(database, timeout=5.0)) as connection:
        connection.row_factory = sqlite3.Row
        if _create(connection) or fresh or only is not None:
            with connection:
                _synchronise(connection, store, only)
        return ask(connection)


def _all_rows(connection: sqlite3.Connection) -> list[CatalogRow]:
    rows = connection.execute(f"SELECT * FROM ({_JOINED}) ORDER BY created_unix_s, run")
    return [_row_from(row) for row in rows]


def _row_from(row: sqlite3.Row) -> CatalogRow:
    fields = dict(row)
    return CatalogRow(**fields | {"measured": bool(fields["measured"]), "tags": fields["tags"].split()})


def _create(connection: sqlite3.Connection) -> bool:
    """Create tables that are missing or of an earlier release. Return True if it did."""
    if tuple(connection.execute("PRAGMA user_version").fetchone()) == (_VERSION,):
        return False
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("DROP TABLE IF EXISTS runs")
        connection.execute("DROP TABLE IF EXISTS judged")
        columns = ", ".join(_COLUMNS[1:])
        connection.execute(
            f"CREATE TABLE runs (run TEXT PRIMARY KEY, {columns}, fingerprint TEXT, jobs_fingerprint TEXT)"
        )
        connection.execute("CREATE INDEX by_time ON runs (created_unix_s, run)")
        connection.execute(
            "CREATE TABLE judged (run TEXT PRIMARY KEY, jobs TEXT, peak_per_s REAL, verdict TEXT)"
        )
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    return True


def _synchronise(connection: sqlite3.Connection, store: Path, only: str | None) -> None:
    """Update all rows, or `only` the row of one run."""
    known = {
        row["run"]: row["fingerprint"] for row in connection.execute("SELECT run, fingerprint FROM runs")
    }
    active = active_runs(store)
    folders = run_folders(store) if only is None else [store / only]
    runs = {folder.name: Run(folder) for folder in folders}
    if only is None:
        gone = [(run,) for run in known.keys() - runs.keys()]
        connection.executemany("DELETE FROM runs WHERE run = ?", gone)
    for run in runs.values():
        jobs = _fingerprint(run, active)
        fingerprint = f"{jobs}, notes of {size_of(run.folder / NOTES_FILE)}"
        # A catalog on a disk of several hosts: what the state is may differ between them.
        seen_here = f"{fingerprint}, seen from {socket.gethostname()}"
        if known.get(run.id) not in (fingerprint, seen_here):
            row = msgspec.to_builtins(_row_of(run, active))
            if row["state"] in OF_THIS_HOST:
                fingerprint = seen_here
            said = read_notes(run)
            row |= {"tags": f" {' '.join(said.tags)} ", "notes": len(said.texts)}
            marks = ", ".join("?" * (len(_COLUMNS) + 2))
            connection.execute(
                f"INSERT OR REPLACE INTO runs ({', '.join(_COLUMNS)}, fingerprint, jobs_fingerprint)"
                f" VALUES ({marks})",
                (*(row[column] for column in _COLUMNS), fingerprint, jobs),
            )


def run_folders(store: Path) -> list[Path]:
    """Return the folders in `store` that hold a run."""
    return [folder for folder in sorted(store.iterdir()) if is_run_folder(folder)]


def is_run_folder(folder: Path) -> bool:
    """Return True if a folder holds a run."""
    holds_run = (folder / RUN_FILE).is_file() or (folder / "jobs").is_dir()
    return holds_run and not folder.name.startswith(".")


def _fingerprint(run: Run, active: set[str]) -> str:
    sizes = [size_of(path) for path in run.job_paths()]
    record = run.folder / RUN_FILE
    written_ns = record.stat().st_mtime_ns if record.exists() else 0
    running = ", running" if run.id in active else ""
    return f"{len(sizes)} jobs, {sum(sizes)} bytes, record of {written_ns}{running}"


def _row_of(run: Run, active: set[str]) -> CatalogRow:
    """Return the row of a run that a later release wrote."""
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
        state=state_of(run, record, active, [end for _, end in ends]),
        measured=any(has_measured(path) for path in run.job_paths()),
    )
