"""What a study of somebody else does here, in words, and without what only a user may permit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from igen.fleet.plan import LOCAL
from igen.judge.settings import flat
from igen.judge.wording import value_text
from igen.study.plan import mode_of
from igen.study.study import Study

OF_THE_USER = ("force", "i_own_this_data", "i_may_load")
"""Names, at any depth of a job, by which a user permits what a check refuses: that they own the data, or may
load a host that is not theirs. Who publishes a study cannot do it for others."""
TIERS = "tiers"


def without_permissions(study: Study) -> Study:
    """The study, asking for no permission."""
    job = _without(study.job)
    systems = [msgspec.structs.replace(each, job=_without(each.job)) for each in study.systems]
    tests = [msgspec.structs.replace(each, job=_without(each.job)) for each in study.tests]
    axes = {
        path: [_here(path, _without(value)) for value in values]
        for path, values in study.axes.items()
        if path.rpartition(".")[2] not in OF_THE_USER and not path.startswith((f"{TIERS}.", f"{TIERS}["))
    }
    # A cluster is the user's own, and whether to trust it too: what others publish runs on this machine.
    fleet = msgspec.structs.replace(study.fleet, address=LOCAL, insecure=False)
    return msgspec.structs.replace(study, job=job, systems=systems, tests=tests, axes=axes, fleet=fleet)


def _without(value: Any) -> Any:
    """The value without them, however deep: in parameters, in those of a persona, in the table of an axis."""
    match value:
        case dict():
            kept = {name: each for name, each in value.items() if name not in OF_THE_USER}
            return {name: _here(name, _without(each)) for name, each in kept.items()}
        case list():
            return [_without(each) for each in value]
        case _:
            return value


def _here(name: str, value: Any) -> Any:
    """Tiers without those on other machines: nobody connects to one because a stranger says so."""
    if name != TIERS or not isinstance(value, list):
        return value
    return [tier for tier in value if not (isinstance(tier, dict) and "host" in tier)]


def what_it_does(study: Study) -> Iterator[str]:
    """Lines that tell what is about to run: all that the study says, as it says it."""
    workload = str(study.job.get("workload", ""))
    yield f"{_in_one_line(f'{study.name}: workload {workload}')}, {mode_of(study.plan)}"
    jobs: Sequence[tuple[str, dict[str, Any]]] = [
        ("", {name: value for name, value in study.job.items() if name != "workload"}),
        *((f"{each.name}: ", each.job) for each in study.systems),
        *((f"{each.name}: ", each.job) for each in study.tests),
    ]
    for of, job in jobs:
        for name, value in flat(job):
            yield f"  {_in_one_line(f'{of}{name} = {value_text(value)}')}"
    if study.fleet.agents > 1:
        yield f"  fleet.agents = {study.fleet.agents}"
    for path, values in study.axes.items():
        told = ", ".join(map(value_text, values))
        yield f"  {_in_one_line(f'{path} = {told}')}"


def _in_one_line(text: str) -> str:
    """Text of others, whole, which must not look like the next line or steer the terminal."""
    return text if text.isprintable() else json.dumps(text)
