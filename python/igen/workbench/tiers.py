"""The tiers of a study: those of private instances by their processes, also where nobody asked for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from igen.errors import InputError
from igen.instances import control
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS
from igen.instances.status import InstanceStatus
from igen.nearest import suggestion
from igen.study.study import Study
from igen.study.targets import expand_targets

MONITOR = "tier"
_OWN_HOST = "127.0.0.1"


def with_tiers(study: Study) -> Study:
    """The study with process ids in the place of instances, and with the tiers of the private instances that
    it loads, unless it names tiers itself.

    Raises `InputError` where an instance does not run or has no such tier.
    """
    job = _with_tiers(study.job)
    systems = []
    for system in study.systems:
        own = system.job.keys() & {"targets", "tiers", "monitors"}
        laid = {**study.job, **system.job}
        if own:
            found = _with_tiers(laid)
            # An empty list takes the place of the tiers of another system's instance.
            told = {name: found[name] for name in ("tiers", "pids") if name in found}
            lacks: dict[str, Any] = {"tiers": []} if "tiers" in job and "tiers" not in found else {}
            system = msgspec.structs.replace(system, job={**system.job, **lacks, **told})
        systems.append(system)
    return msgspec.structs.replace(study, job=job, systems=systems)


def _with_tiers(job: dict[str, Any]) -> dict[str, Any]:
    named = job.get("tiers")
    if named is not None:
        return (
            {**job, "tiers": [_resolved(tier, place) for place, tier in enumerate(named)]} if named else job
        )
    instances = _loaded(job)
    if not instances:
        return job
    found = [(instance, control.status(instance).tiers) for instance in instances]
    of_tiers = [pid for _, tiers in found for pids in tiers.values() for pid in pids]
    # What watches over the tiers is none of them, and works for them; where there is but one it may be that.
    watch = [instance.pid for instance, tiers in found if tiers and instance.pid not in of_tiers]
    told = {**job, "pids": [*job.get("pids", []), *watch]}
    if job.get("monitors") is not None and MONITOR not in job["monitors"]:
        return {**told, "pids": [*told["pids"], *of_tiers]}
    tiers = [
        {
            "name": name if len(instances) == 1 else f"{instance.name} {name}",
            "match": {"pids": pids},
            # Each process of a shop serves on one thread.
            "processors": float(len(pids)),
        }
        for instance, tiers in found
        for name, pids in tiers.items()
    ]
    return {**told, "tiers": tiers} if tiers else job


def _loaded(job: Mapping[str, Any]) -> list[Instance]:
    """The private instances with tiers that the job's targets are."""
    return [one for one in loaded_instances(job) if control.status(one).tiers]


def loaded_instances(job: Mapping[str, Any]) -> list[Instance]:
    """The private web applications that the job's targets are; they need not run."""
    targets = expand_targets(job.get("targets") or [])
    if not isinstance(targets, list):
        return []
    places = {_place(target) for target in targets if isinstance(target, str)} - {None}
    if not places:
        return []
    known = [one for one in control.selected(None, None) if one.kind in PRODUCTS]
    return [one for one in known if _place(control.target(one)) in places]


def _place(target: str) -> tuple[str, int] | None:
    """Host and port of a web server; None of anything else."""
    try:
        parts = urlsplit(target)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or port is None:
        return None
    return (_OWN_HOST if parts.hostname == "localhost" else parts.hostname), port


def _resolved(tier: Any, place: int) -> Any:
    """With the process ids of the instance that it names; what is wrong is left for the agent to refuse."""
    source = tier.get("match") if isinstance(tier, dict) else None
    if (
        not isinstance(source, dict)
        or "host" in tier
        or list(source) != ["instance"]
        or not isinstance(source["instance"], str)
    ):
        return tier
    return {**tier, "match": {"pids": _pids(source["instance"], f"tiers[{place}].match.instance")}}


def _pids(name: str, where: str) -> list[int]:
    """Process ids of `shop-1/web`, or of a whole instance: `postgresql-1`. Raises `InputError`."""
    of, _, part = name.partition("/")
    known = {one.name: one for one in control.selected(None, None)}
    if of not in known:
        hint = suggestion(of, known) or "`igen instances up shop` makes one"
        raise InputError(f"there is no instance `{of}`", where=where, hint=hint)
    found: InstanceStatus = control.status(known[of])
    if found.pid is None or found.state != "running":
        hint = f"start it: igen instances up {known[of].kind}"
        raise InputError(f"the instance `{of}` does not run", where=where, hint=hint)
    if not part:
        return [found.pid]
    if part not in found.tiers:
        have = ", ".join(found.tiers) or "none"
        raise InputError(f"`{of}` has no tier `{part}`", where=where, hint=f"its tiers: {have}")
    return found.tiers[part]
