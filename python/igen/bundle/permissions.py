"""What a study of somebody else does here, in words, and without what only a user may permit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from igen.judge.settings import flat
from igen.judge.wording import value_text
from igen.study.plan import mode_of
from igen.study.study import Study

OF_THE_USER = ("force", "i_own_this_data")
"""Fields of a job in which a user permits what a check refuses: who publishes a study cannot do it for
others."""
I_MAY_LOAD = "i_may_load"
"""Parameter by which a user says so of a host that is not theirs."""


def without_permissions(study: Study) -> Study:
    """The study, asking for no permission."""
    job = _without(study.job)
    systems = [msgspec.structs.replace(each, job=_without(each.job)) for each in study.systems]
    tests = [msgspec.structs.replace(each, job=_without(each.job)) for each in study.tests]
    axes = {path: values for path, values in study.axes.items() if path not in _PATHS}
    return msgspec.structs.replace(study, job=job, systems=systems, tests=tests, axes=axes)


_PATHS = {*OF_THE_USER, f"params.{I_MAY_LOAD}"}


def _without(job: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in job.items() if name not in OF_THE_USER}
    params = kept.get("params")
    if isinstance(params, dict):
        kept["params"] = {name: value for name, value in params.items() if name != I_MAY_LOAD}
    return kept


def what_it_does(study: Study) -> Iterator[str]:
    """Lines that tell what is about to run: all that the study says, as it says it."""
    yield f"{study.name}: workload {study.job.get('workload', '')}, {mode_of(study.plan)}"
    jobs: Sequence[tuple[str, dict[str, Any]]] = [
        ("", {name: value for name, value in study.job.items() if name != "workload"}),
        *((f"{each.name}: ", each.job) for each in study.systems),
        *((f"{each.name}: ", each.job) for each in study.tests),
    ]
    for of, job in jobs:
        for name, value in flat(job):
            yield f"  {of}{name} = {value_text(value)}"
    for path, values in study.axes.items():
        yield f"  {path} = {', '.join(map(value_text, values))}"
