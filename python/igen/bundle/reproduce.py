"""The studies of a bundle to be run again, and what came of them beside what was published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from igen.ask.tables import merged
from igen.aspects.aspects import ASPECTS
from igen.bundle.permissions import without_permissions
from igen.errors import InputError
from igen.first_use import ready
from igen.judge import result_of
from igen.judge.compare.terms import Terms
from igen.judge.curve.system import renamed
from igen.judge.intent import Intent
from igen.judge.record.reference import Reference
from igen.judge.result import Result, System
from igen.store.run import Run
from igen.study.noise import host_name, noise_by_machine
from igen.study.results import read_systems
from igen.study.serving import Servers
from igen.study.study import Study
from igen.study.validation import of_validation

PUBLISHED, HERE = "published", "here"
TARGETS = "targets"


def study_again(
    run: Run,
    *,
    targets: Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
    trusted: bool = False,
) -> Study:
    """The study of a run, to be run here: on these targets where any are given, with these parameters.

    It asks for no permission that only a user can give, and knows no process of the machine that it ran on.
    Its targets get passwords and keys of the user only if they are `trusted` or given here; its secrets are
    still those that it names. Raises `InputError` where the run does not say what its study was.
    """
    known = Study.__struct_fields__
    described = {name: value for name, value in run.read_record().study.items() if name in known}
    try:
        study = msgspec.convert(described, ready(Study))
    except msgspec.ValidationError as error:
        found = of_validation(str(error))
        found.where = f"{run.id}: {found.where}"
        raise found from error
    if not study.job.get("workload"):
        raise InputError("it does not say what was measured", where=run.id)
    study = without_permissions(msgspec.structs.replace(study, servers=Servers()))
    parts = [study.axes, *(each.job for each in study.systems), *(each.job for each in study.tests)]
    if targets and any(TARGETS in each for each in parts):
        text, hint = "parts of this study have targets of their own", "run it where they can be reached"
        raise InputError(text, where="--target", hint=hint)
    job = _without_processes(study.job)
    job |= {TARGETS: list(targets)} if targets else {}
    job |= {} if trusted or targets else {"credentials": "none"}
    job = merged(job, {"params": dict(params)}) if params else job
    systems = [msgspec.structs.replace(each, job=_without_processes(each.job)) for each in study.systems]
    return msgspec.structs.replace(study, job=job, systems=systems)


def _without_processes(job: Mapping[str, Any]) -> dict[str, Any]:
    """Process ids are those of one machine at one time; private instances have theirs unasked."""
    kept = {name: value for name, value in job.items() if name != "pids"}
    if "tiers" in kept:
        here = {"pids", "instance"}
        tiers = [tier for tier in kept["tiers"] or [] if not here & (tier.get("match") or {}).keys()]
        kept = {name: value for name, value in kept.items() if name != "tiers"}
        kept |= {"tiers": tiers} if tiers else {}
    return kept


def beside(published: Sequence[Run], here: Sequence[Run]) -> Result:
    """Each system as it was published, and the same as it was measured here: the former is the base.

    The judge compares them as it compares any two runs, and says in what they differ: facts of the machines,
    versions, parameters.
    """
    pairs: list[tuple[System, System]] = []
    for run, again in zip(published, here, strict=True):
        pairs += pairs_of(read_systems(run), read_systems(again))
    names = Counter(was.name for was, _ in pairs)
    systems = []
    for number, (was, now) in enumerate(pairs, start=1):
        name = was.name if names[was.name] == 1 else f"{was.name} ({number})"
        base = f"{name}, {PUBLISHED}"
        systems.append(replace(renamed(was, base, ASPECTS), against=base))
        systems.append(replace(renamed(now, f"{name}, {HERE}", ASPECTS), against=base))
    title = f"{_title(published)}, reproduced"
    margin = Intent.of(published[0].read_record().study, Reference()).margin
    stores = [published[0].folder.parent, here[0].folder.parent]
    noise = [noise_by_machine(store, systems, unnamed=host_name()) for store in stores]
    return result_of(systems, title, ASPECTS, Terms(margin=margin, noise=noise[0] | noise[1]))


def pairs_of(theirs: Sequence[System], ours: Sequence[System]) -> list[tuple[System, System]]:
    """The systems of both runs of one study: by name, or by their order where hosts gave them names."""
    by_name = {system.name: system for system in ours}
    if by_name.keys() != {system.name for system in theirs} and len(ours) == len(theirs):
        return list(zip(theirs, ours, strict=True))
    return [(system, by_name[system.name]) for system in theirs if system.name in by_name]


def _title(runs: Sequence[Run]) -> str:
    return " and ".join(dict.fromkeys(run.read_record().title for run in runs))
