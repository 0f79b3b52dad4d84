"""Functions of the workbench: run, resume, load, compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from igen.ask.asked import Asked, read_answers
from igen.ask.study import study_of_asked, with_asked
from igen.errors import InputError
from igen.store.run import Run
from igen.store.store import Store
from igen.study.observer import Observer
from igen.study.results import read_result
from igen.study.study import Study, load_study, study_of
from igen.workbench.failure import interrupted
from igen.workbench.measure import carry_out
from igen.workbench.recorded import Recorded
from igen.workbench.resumed import resumed
from igen.workbench.run_defaults import defaults_of, with_run_defaults
from igen.workbench.step import Facts, do_step, step_job
from igen.workload_parameters import known_workload

Say = Callable[[str], None]
Place = str | Path | None
"""Folder of a store; None for `IGEN_STORE` or `./igen-runs`."""


def run(
    study: Study | Mapping[str, Any] | str | Path,
    *,
    store: Place = None,
    observer: Observer | None = None,
    say: Say | None = None,
    **asked: Any,
) -> Recorded:
    """Run a study and judge it.

    The study is the name of a workload, a file (TOML), or the same as a table, such as
    `{"job": {"workload": "cpu"}, "axes": {"load.closed.users": [1, 2]}}`. Other keywords are the options of
    `igen run`, as values or as texts: `run("cpu", users=[1, 2], duration="2s")`; `igen.ask.asked.Asked` lists
    them. They are laid over the load of a study.

    `observer` hears the progress, `say` messages in words. Raises `InputError` before anything is measured,
    `Interrupted`, and `IgenError` if the study failed; all measurements are kept.
    """
    return _measured(_study(study, read_answers(asked)), Store(store), observer, say, None)


def resume(
    reference: str,
    *,
    torture_s: float | None = None,
    force: bool = False,
    store: Place = None,
    observer: Observer | None = None,
    say: Say | None = None,
) -> Recorded:
    """Goes on with a run that ended early: executions that came to their end are kept, one that did not is
    begun again. Raises what `run` does.

    `torture_s` is another time under load of a torture than was planned; `force` holds as it is said now.
    """
    begun, study = resumed(reference, Store(store), torture_s=torture_s, force=force)
    return _measured(study, Store(store), observer, say, begun)


def provision(
    workload: str,
    targets: Sequence[str],
    params: Mapping[str, Any] | None = None,
    *,
    force: bool = False,
    say: Say | None = None,
) -> Facts:
    """Creates and loads what a workload needs in its targets; does nothing where it is there already.

    Returns what the agent tells. Raises `InputError` with the field's path, `Interrupted`, and `IgenError`.
    """
    job = step_job("prepare", workload=workload, targets=targets, params=dict(params or {}), force=force)
    facts, error = do_step(job, say=say or _silent, hear=lambda _event: None)
    if error is not None:
        raise error
    return facts


def load(reference: str = "last", *, title: str = "", store: Place = None) -> Recorded:
    """A recorded run, judged; found by its id, a unique begin of it, `last`, its system's name or its folder.

    Raises `InputError` where there is none, or several begin like that.
    """
    return _recorded([Store(store).find(reference)], title)


def compare(base: str, *others: str, title: str = "", store: Place = None) -> Recorded:
    """Compare runs with a first run, the base of all `ratios`. Raises the errors of `load`."""
    if not others:
        raise InputError("name at least two runs", where="others", hint="such as compare('before', 'after')")
    place = Store(store)
    return _recorded([place.find(reference) for reference in (base, *others)], title)


def _measured(
    study: Study, store: Store, observer: Observer | None, say: Say | None, begun: Run | None
) -> Recorded:
    outcome = carry_out(study, store, observer=observer or Observer(), say=say or _silent, begun=begun)
    if outcome.interrupted:
        raise interrupted(outcome, study, measured=outcome.measured)
    if outcome.error is not None:
        raise outcome.error
    return _recorded([outcome.run])


def _recorded(runs: list[Run], title: str = "") -> Recorded:
    return Recorded(tuple(run.id for run in runs), read_result(runs, title))


def _study(study: Study | Mapping[str, Any] | str | Path, asked: Asked) -> Study:
    match study:
        case str() if known_workload(study) is not None:
            return study_of_asked(study, with_run_defaults(asked, defaults_of(study)))
        case Study():
            return _laid_over(study, asked)
        case str() | Path():
            return _study(load_study(Path(study)), asked)
    job = study.get("job")
    workload = job.get("workload") if isinstance(job, Mapping) else None
    if not isinstance(workload, str):
        raise InputError("a study needs a workload", where="job.workload", hint="such as `cpu`")
    return _study(study_of(study, workload), asked)


def _laid_over(study: Study, asked: Asked) -> Study:
    """Raise `InputError` for an argument about the plan, which the study defines."""
    for name, question, _ in asked.given():
        if question.group == "plan":
            raise InputError("cannot be combined with a study", where=name, hint="write it into the study")
    return with_asked(study, asked)


def _silent(_text: str) -> None:
    """Nobody listens."""
