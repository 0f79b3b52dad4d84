"""Each target alone, then the first 1, 2, ... together: as published for the volumes of a server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from igen.ask.tables import merged
from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.study.levels import PlannedLevel, expand, level
from igen.study.orders.scaling import instance_counts
from igen.study.study import Study
from igen.study.targets import expand_targets


def together_levels(study: Study, agent: Agent) -> list[PlannedLevel]:
    """All levels of a study with the plan `together`: at each point of its axes, every target has the job's
    users.

    Raises `InputError` where there is one target or no number of users.
    """
    # What stands in the job is the load of one target.
    systems = [msgspec.structs.replace(each, job=_on_first(each.job)) for each in study.systems]
    of_one = msgspec.structs.replace(study, job=_on_first(study.job), systems=systems)
    levels = [each for point in expand(of_one, agent) for each in _at(study, point, agent)]
    return [replace(each, number=number) for number, each in enumerate(levels)]


def _on_first(job: dict[str, Any]) -> dict[str, Any]:
    return job | {"targets": expand_targets(job["targets"])[:1]} if "targets" in job else job


def _at(study: Study, point: PlannedLevel, agent: Agent) -> Iterator[PlannedLevel]:
    system = next((each for each in study.systems if each.name == point.system), None)
    targets = expand_targets(merged(study.job, system.job if system else {}).get("targets", []))
    if len(targets) < 2:
        raise InputError(
            "the plan `together` needs at least two targets",
            where="targets",
            hint='such as "file:///volumes/{1..4}/f"',
        )
    ((model, load),) = point.job["load"].items()
    users = load.get("users")
    if users is None:
        raise InputError(
            "the plan `together` multiplies the number of users",
            where=f"load.{model}",
            hint="set the number of users",
        )
    for target in targets:
        alone = level(study, 0, point.values | {"targets": [target]}, agent, system)
        yield replace(alone, values={"target": target, **point.values})
    for instances in instance_counts(len(targets)):
        changed = {"targets": targets[:instances], f"load.{model}.users": instances * users}
        some = level(study, 0, point.values | changed, agent, system)
        yield replace(some, values={**point.values, "instances": instances}, purpose="scale")
