"""All runs of a workload in a store, as its history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from igen.errors import IgenError, InputError
from igen.facts import HOST_NAME
from igen.judge.compare.history import History, history_of
from igen.judge.result import System
from igen.nearest import suggestion
from igen.store.catalog import CatalogRow
from igen.store.run import Run
from igen.store.store import Store
from igen.study.noise import host_name
from igen.study.plans import plan_type
from igen.study.results import read_systems

ENDED = ("complete", "interrupted", "failed", "cut off")
"""States of runs that have ended."""


def rows_of(store: Store, workload: str, last: int) -> list[CatalogRow]:
    """Return the last runs of this workload, oldest first. Raises `InputError` without a run."""
    measured = [row for row in store.list_runs() if row.measured and row.state in ENDED]
    rows = [row for row in measured if row.workload == workload]
    if not rows:
        known = {row.workload for row in measured}
        raise InputError(
            f"no run of `{workload}` in {store.path}",
            where="WORKLOAD",
            hint=suggestion(workload, known) or "`igen list runs` shows runs and their workloads",
        )
    return rows[-last:]


def read_history(
    store: Store,
    workload: str,
    rows: Sequence[CatalogRow],
    *,
    host: str | None = None,
    told: Callable[[], None] = lambda: None,
) -> History:
    """The history of these runs on `host`, this machine where it is None; `told` hears of each run.

    Raises `InputError` where none of them was measured there.
    """
    wanted = host or host_name()
    elsewhere: set[str] = set()
    systems = [
        system
        for system in _systems(store, rows, told)
        if system.workload == workload and _is_on(system, wanted, elsewhere)
    ]
    if not systems:
        others = ", ".join(sorted(elsewhere)) or "unknown hosts"
        text = f"no run of `{workload}` was measured on {wanted}"
        raise InputError(text, where="--host", hint=f"there are runs of {others}")
    return history_of(systems, workload, wanted)


def _systems(store: Store, rows: Sequence[CatalogRow], told: Callable[[], None]) -> Iterator[System]:
    for row in rows:
        run = Run(store.path / row.run)
        try:
            yield from [] if plan_type(run.read_record().mode).in_segments else read_systems(run)
        except IgenError as error:
            error.where = error.where or run.id
            raise
        finally:
            told()


def _is_on(system: System, host: str, elsewhere: set[str]) -> bool:
    name = str(system.facts.get(HOST_NAME, ""))
    if name != host and name:
        elsewhere.add(name)
    return name == host
