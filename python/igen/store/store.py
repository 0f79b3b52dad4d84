"""The folder of all runs: creates runs, and finds them by id, name or tag."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import time
from pathlib import Path
from typing import Any

from igen.errors import InputError
from igen.store.access import not_written
from igen.store.active import active_runs
from igen.store.catalog import CatalogPage, CatalogRow, find_runs, is_run_folder, list_runs
from igen.store.files import make_folder
from igen.store.job_file import JOBS_FOLDER
from igen.store.run import Run, RunRecord, boot_here, folder_here
from igen.version import VERSION

DEFAULT_STORE = "igen-runs"
STORE_VARIABLE = "IGEN_STORE"


class Store:
    """The folder of all runs: given, or `IGEN_STORE`, or `./igen-runs`."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path or os.environ.get(STORE_VARIABLE) or DEFAULT_STORE)

    def create_run(
        self, *, name: str, system: str, title: str, study: dict[str, Any], noise: float | None = None
    ) -> Run:
        """Create a run folder with its `run.json`; two processes never get the same folder."""
        created_unix_s = time.time()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            run = Run(self._new_folder(name, created_unix_s))
            make_folder(run.folder / JOBS_FOLDER)
            run.write_record(
                RunRecord(
                    run=run.id,
                    name=name,
                    system=system,
                    title=title,
                    study=study,
                    created_unix_s=created_unix_s,
                    igen_version=VERSION,
                    host=socket.gethostname(),
                    boot=boot_here(),
                    folder=folder_here(),
                    noise=noise,
                    outcome="begun",
                )
            )
        except OSError as error:
            raise not_written(self.path, error) from error
        return run

    def _new_folder(self, name: str, created_unix_s: float) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "run"
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(created_unix_s))
        while True:
            folder = self.path / f"{stamp}-{slug}-{secrets.token_hex(2)}"
            try:
                make_folder(folder, folders=0)
            except FileExistsError:
                continue
            return folder

    def list_runs(self) -> list[CatalogRow]:
        """Return every run, oldest first."""
        return list_runs(self.path)

    def find_runs(self, search: str, *, offset: int = 0, most: int = 50, fresh: bool = True) -> CatalogPage:
        """Return the runs that match a search, the newest first; `fresh` as in `igen.store.catalog`."""
        return find_runs(self.path, search, offset=offset, most=most, fresh=fresh)

    def find(self, reference: str) -> Run:
        """Finds a run by its id, a unique begin of it, `last`, its system's name or its folder's path.

        `last` is the last run that measured, and a name finds the last run of that system that did: a start
        that failed hides nothing. Where none has, it is the last one. Raises `InputError` when there is none,
        or several begin like that.
        """
        folder = Path(reference)
        if os.sep in reference and folder.is_dir():
            return Run(folder.resolve())
        rows = self.list_runs()
        measured = [row for row in rows if row.measured]
        matches = (
            [row for row in rows if row.run == reference]
            or ((measured or rows)[-1:] if reference == "last" else [])
            or [row for row in measured if row.system == reference][-1:]
            or [row for row in rows if row.system == reference][-1:]
            or [row for row in rows if row.run.startswith(reference)]
        )
        if len(matches) == 1:
            return Run(self.path / matches[0].run)
        if matches:
            raise InputError(
                f"`{reference}` matches {len(matches)} runs",
                where="RUN",
                hint="use one of " + ", ".join(row.run for row in matches[:5]),
            )
        raise InputError(
            f"no run `{reference}` in {self.path}" if rows else f"no runs in {self.path}",
            where="RUN",
            hint="`igen list runs` lists all runs; --store or IGEN_STORE selects another store",
        )

    def find_own(self, reference: str) -> Run:
        """Finds a run of this store, as `find` does.

        Raises `InputError` also for a folder that is somewhere else or holds no run.
        """
        run = self.find(reference)
        if run.folder.resolve().parent != self.path.resolve() or not is_run_folder(run.folder):
            hint = "`igen list runs` lists all runs; --store selects another store"
            raise InputError(f"`{reference}` is not a run in {self.path}", where="RUN", hint=hint)
        return run

    def remove(self, run: Run) -> None:
        """Deletes the folder of a run of this store, all of it.

        Raises `InputError` while the run is going on, and `IgenError` where the folder cannot be deleted.
        """
        if run.id in active_runs(self.path):
            raise InputError(f"{run.id} is still running", where="RUN", hint="`igen stop` stops it")
        try:
            shutil.rmtree(run.folder)
        except OSError as error:
            raise not_written(run.folder, error) from error
