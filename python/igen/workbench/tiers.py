"""The tiers of a study; the tiers of private instances are added even if the study has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from igen.ask.tables import merged
from igen.errors import InputError
from igen.instances import control
from igen.instances.instance import Instance
from igen.instances.status import InstanceStatus
from igen.nearest import suggestion
from igen.study.serving import Servers, Serving, named_instance
from igen.study.study import Study
from igen.study.targets import named_targets

_OWN_HOST = "127.0.0.1"


def with_tiers(study: Study) -> Study:
    """The study with the processes of the private instances that serve its targets, or that its tiers name:
    levels that name no tiers have the tiers of those that they load.

    Raises `InputError` where an instance does not run or has no such tier.
    """
    jobs = [study.job, *(system.job for system in study.systems), *(test.job for test in study.tests)]
    named = dict(found for job in jobs for found in _named(job))
    return msgspec.structs.replace(study, servers=Servers(loaded=_servers(study), named=named))


def _named(job: Mapping[str, Any]) -> Iterator[tuple[str, list[int]]]:
    """Return the process ids of the instances that the tiers of a job name."""
    tiers = job.get("tiers")
    for place, tier in enumerate(tiers if isinstance(tiers, list) else []):
        if (name := named_instance(tier)) is not None:
            yield name, _pids(name, f"tiers[{place}].match.instance")


def _servers(study: Study) -> list[Serving]:
    """Return the private instances with tiers that a job of the study loads."""
    jobs = [
        merged(merged(study.job, system), test)
        for system in [each.job for each in study.systems] or [{}]
        for test in [each.job for each in study.tests] or [{}]
    ]
    jobs += [{"targets": targets} for targets in study.axes.get("targets", [])]
    loaded = [_loaded(job) for job in jobs]
    # Where one job loads several, their tiers need names of their own, and keep them in every level.
    several = any(len(instances) > 1 for instances in loaded)
    instances = {instance.name: instance for each in loaded for instance in each}
    targets = [target for job in jobs for target in named_targets(job)]
    return [_serving(instance, targets, several=several) for instance in instances.values()]


def _serving(instance: Instance, targets: list[str], *, several: bool) -> Serving:
    place = _place(control.target(instance))
    tiers = control.status(instance).tiers
    # What watches over the tiers works for them; where there is but one it may be that.
    is_tier = any(instance.pid in pids for pids in tiers.values())
    return Serving(
        targets=list(dict.fromkeys(target for target in targets if _place(target) == place)),
        tiers=[
            {
                "name": f"{instance.name} {name}" if several else name,
                "match": {"pids": pids},
                # Each process of a shop serves on one thread.
                "processors": float(len(pids)),
            }
            for name, pids in tiers.items()
        ],
        pids=[] if is_tier else [instance.pid],
    )


def _loaded(job: Mapping[str, Any]) -> list[Instance]:
    """Return the targets of a job that are private instances with tiers."""
    return [one for one in loaded_instances(job) if control.status(one).tiers]


def loaded_instances(job: Mapping[str, Any]) -> list[Instance]:
    """Return the targets of a job that are private web applications; they need not run."""
    places = {_place(target) for target in named_targets(job)} - {None}
    if not places:
        return []
    return [one for one in control.of_known_kinds() if _place(control.target(one)) in places]


def _place(target: str) -> tuple[str, int] | None:
    """Return host and port of a web server; None for any other target."""
    try:
        parts = urlsplit(target)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or port is None:
        return None
    return (_OWN_HOST if parts.hostname == "localhost" else parts.hostname), port


def _pids(name: str, where: str) -> list[int]:
    """Return the process ids of `shop-1/web`, or of a whole instance `postgresql-1`. Raises `InputError`."""
    of, _, part = name.partition("/")
    known = {one.name: one for one in control.selected(None, None)}
    if of not in known:
        hint = suggestion(of, known) or "`igen instances up shop` starts an instance"
        raise InputError(f"there is no instance `{of}`", where=where, hint=hint)
    found: InstanceStatus = control.status(known[of])
    if found.pid is None or found.state != "running":
        hint = f"start it: igen instances up {known[of].kind}"
        raise InputError(f"the instance `{of}` is not running", where=where, hint=hint)
    if not part:
        return [found.pid]
    if part not in found.tiers:
        have = ", ".join(found.tiers) or "none"
        raise InputError(f"`{of}` has no tier `{part}`", where=where, hint=f"its tiers: {have}")
    return found.tiers[part]
