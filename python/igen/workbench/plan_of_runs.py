"""Plan of a data centre from recorded runs, for `igen datacenter plan`."""

from __future__ import annotations

from collections.abc import Iterable

from igen.aspects.published.landscape import own_standing
from igen.datacenter.from_runs import RecordedCurve, plan_text
from igen.judge.curve.laws.curve import curve_of
from igen.store.run import Run
from igen.study.results import read_systems


def plan_of_runs(runs: Iterable[Run]) -> str:
    """Return the plan as TOML; numbers that are not in the runs are marked unknown. Raises `InputError`."""
    recorded = []
    for run in runs:
        described = {each.get("name"): each for each in run.read_record().study.get("systems") or []}
        for system in read_systems(run):
            standing = own_standing(system)  # knows the watts of a meter too
            told = {"watts": standing.watts if standing else None}
            known = {key: value for key, value in told.items() if value is not None}
            of_study = described.get(system.system, {})
            recorded.append(RecordedCurve(run.id, curve_of(system), system.facts, {**of_study, **known}))
    return plan_text(recorded)
