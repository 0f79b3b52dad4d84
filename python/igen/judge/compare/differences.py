"""In what two systems differ: targets, parameters, settings, facts, and the work that they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from igen.facts import HOST_NAME, INSTANCES_MADE, INSTANCES_SETTINGS
from igen.facts.declaration import is_factor, shown_setting, subject_of, work_facts
from igen.judge.record.settings import flat, settings_of, value_text
from igen.judge.result import Difference, DifferenceKind, System

TARGET = "target"
OTHERWISE_COMPARED = ("workload", "targets", "params.", "load_seed")
"""Settings of a job with a comparison of their own, or that are another one in each study."""
UNKNOWN, NOT_SET = "unknown", "the default"
"""What stands for a fact that nobody told, and for a setting that the job does not have."""


def differing(base: System, system: System) -> Iterator[Difference]:
    """Yield differences apart from the name: targets, parameters, the rest of the job, iGen itself, facts.

    A fact declares the setting whose value it shows (`igen-agent list facts`): a difference in both is one
    difference. The parameter of the job has it if it differs, otherwise the server's fact instead of the
    setting of its instance. Neither is a device below other targets a factor, nor the port of a private
    instance, if anything else differs and both were made alike but for their settings.
    """
    alike = _alike(base, system)
    found = [*_differing(base, system, same_target=alike or base.targets == system.targets)]
    if len(found) > 1 and alike:
        found = [each for each in found if each.name != TARGET]
    yield from found


def other_work(base: System, system: System) -> Iterator[Difference]:
    """Yield the facts by which another work was done, so that there is no ratio."""
    for name in work_facts():
        before, after = base.facts.get(name), system.facts.get(name)
        if before != after:
            yield Difference(kind="work", name=name, of_base=value_text(before), of_system=value_text(after))


def _alike(base: System, system: System) -> bool:
    """Whether the targets are private instances that were made alike but for settings and ports."""
    made = base.facts.get(INSTANCES_MADE)
    return made is not None and made == system.facts.get(INSTANCES_MADE)


def _differing(base: System, system: System, *, same_target: bool) -> Iterator[Difference]:
    asked = [
        *_unlike("setting", {TARGET: base.targets}, {TARGET: system.targets}, UNKNOWN),
        *_unlike("parameter", params_of(base, system), params_of(system, base), NOT_SET),
        *_unlike("setting", _other_settings(base.job), _other_settings(system.job), NOT_SET),
        *_unlike("setting", {"iGen": base.igen_version}, {"iGen": system.igen_version}, UNKNOWN),
    ]
    yield from asked
    settings = {each.name.rpartition(".")[2] for each in asked}
    # A kernel that lacks a tunable does not differ in it, nor do other targets in their devices.
    may_lack = ("tunable",) if same_target else ("tunable", "device")
    facts = [
        each
        for each in _unlike("fact", _environment(base), _environment(system), UNKNOWN)
        if shown_setting(each.name) not in settings
        and not (subject_of(each.name) in may_lack and UNKNOWN in (each.of_base, each.of_system))
    ]
    shown = {shown_setting(each.name) for each in facts if subject_of(each.name) == "server"}
    made = {each.name: INSTANCES_SETTINGS.part(each.name) for each in facts}
    yield from (each for each in facts if made[each.name] is None)
    yield from (each for each in facts if made[each.name] is not None and made[each.name] not in shown)


def _unlike(
    kind: DifferenceKind, of_base: Mapping[str, Any], of_system: Mapping[str, Any], absent: str
) -> Iterator[Difference]:
    """Yield the values of one kind that differ, in the order of their names."""
    for name in sorted(of_base.keys() | of_system.keys()):
        before, after = of_base.get(name), of_system.get(name)
        if before != after:
            texts = [absent if value is None else value_text(value) for value in (before, after)]
            yield Difference(kind=kind, name=name, of_base=texts[0], of_system=texts[1])


def _other_settings(job: dict[str, Any]) -> dict[str, Any]:
    return {
        path: value for path, value in settings_of(job).items() if not path.startswith(OTHERWISE_COMPARED)
    }


def _environment(system: System) -> dict[str, Any]:
    """Return the facts in which a difference is a factor; the name of a machine only says which one it is."""
    return {name: value for name, value in system.facts.items() if name != HOST_NAME and is_factor(name)}


def params_of(system: System, other: System) -> dict[str, Any]:
    """Return the parameters that either system sets; one that is not set has its default value."""
    own = dict(flat(system.params))
    unset = {name: system.defaults[name] for name in dict(flat(other.params)) if name in system.defaults}
    return {**unset, **own}
