"""In what two systems differ: targets, parameters, settings, facts, and the work that they did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from igen.facts import HOST_NAME, INSTANCES_MADE, INSTANCES_SETTINGS
from igen.facts.declaration import is_factor, subject_of, work_facts
from igen.judge.record.settings import flat, settings_of, value_text
from igen.judge.result import Difference, DifferenceKind, System

TARGET = "target"
OTHERWISE_COMPARED = ("workload", "targets", "params.", "load_seed")
"""Settings of a job with a comparison of their own, or that are another one in each study."""
UNITS = ("bytes", "us", "ms", "s")
"""Ends of the names of facts of servers."""
SIZE = re.compile(r"(\d+)([kKMG]?)(?:i?B)?")
SHIFTS = {"": 0, "k": 10, "K": 10, "M": 20, "G": 30}
SMALLEST_SIZE = 1 << 16
UNKNOWN, NOT_SET = "unknown", "the default"
"""What stands for a fact that nobody told, and for a setting that the job does not have."""


def differing(base: System, system: System) -> Iterator[Difference]:
    """What differs apart from the name: targets, parameters, the rest of the job, iGen itself, facts.

    A fact that only tells what a setting did, such as `target.sqlite.synchronous`, is no factor of its own;
    its name may end in a unit: `target.postgresql.commit_delay_us`, and its value may say more: `thp (100 %
    huge)`. Neither is a device below other targets, nor the port of a private instance, if anything else
    differs and both were made alike but for their settings. A setting of an instance that its server tells
    too is told once.
    """
    alike = _alike(base, system)
    found = [*_differing(base, system, same_target=alike or base.targets == system.targets)]
    explained = _explained(found)
    found = [each for each in found if each.name not in explained]
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
    told: list[tuple[str, tuple[str, str]]] = []
    kinds: tuple[tuple[DifferenceKind, dict[str, Any], dict[str, Any], str], ...] = (
        ("setting", {TARGET: base.targets}, {TARGET: system.targets}, UNKNOWN),
        ("parameter", _params(base, system), _params(system, base), NOT_SET),
        ("setting", _other_settings(base.job), _other_settings(system.job), NOT_SET),
        ("setting", {"iGen": base.igen_version}, {"iGen": system.igen_version}, UNKNOWN),
        ("fact", _environment(base), _environment(system), UNKNOWN),
    )
    for kind, of_base, of_system, absent in kinds:
        # What a server tells of itself comes before what it was made with.
        names = sorted(of_base.keys() | of_system.keys(), key=lambda name: (_is_made(name), name))
        for name in names:
            before, after = of_base.get(name), of_system.get(name)
            last = name.rpartition(".")[2]
            texts = [absent if value is None else value_text(value) for value in (after, before)]
            values = (texts[0], texts[1])
            # What an instance was made with is nothing that came of another setting.
            follows = not _is_made(name) and any(
                last.startswith(setting) and _tell(values, its) for setting, its in told
            )
            # A kernel that lacks a tunable does not differ in it, nor do other targets in their devices.
            may_lack = ("tunable",) if same_target else ("tunable", "device")
            if None in (before, after) and subject_of(name) in may_lack:
                continue
            if before != after and not follows:
                # Two facts of servers are two settings, however their names begin.
                if subject_of(name) != "server":
                    told.append((last, values))
                yield Difference(kind=kind, name=name, of_base=values[1], of_system=values[0])


def _explained(found: Sequence[Difference]) -> set[str]:
    """Settings of instances that their servers tell too: by name, the rest by sizes. What a server tells
    explains one setting.
    """
    of_servers = [each for each in found if subject_of(each.name) == "server"]
    explained: set[str] = set()
    for tells in (_named_alike, _sized_alike):
        for made in found:
            if not _is_made(made.name) or made.name in explained:
                continue
            by = next((each for each in of_servers if tells(made, each)), None)
            if by is not None:
                of_servers.remove(by)
                explained.add(made.name)
    return explained


def _named_alike(made: Difference, of_server: Difference) -> bool:
    setting, last = INSTANCES_SETTINGS.part(made.name) or made.name, of_server.name.rpartition(".")[2]
    return last in (setting, *(f"{setting.removesuffix('_size')}_{unit}" for unit in UNITS))


def _sized_alike(made: Difference, of_server: Difference) -> bool:
    sizes = _sizes((made.of_base, made.of_system))
    return sizes is not None and sizes == _sizes((of_server.of_base, of_server.of_system))


def _is_made(name: str) -> bool:
    return subject_of(name) == "instance"


def _sizes(values: tuple[str, str]) -> tuple[int, int] | None:
    """Return bytes of settings such as `16M`, `16MB` or `16MiB`, which servers report as 16777216; None of
    smaller numbers, which may mean anything.
    """
    one, other = (
        int(found[1]) << SHIFTS[found[2]] if (found := SIZE.fullmatch(value)) else None for value in values
    )
    if one is None or other is None or min(one, other) < SMALLEST_SIZE:
        return None
    return one, other


def _tell(values: tuple[str, str], settings: tuple[str, str]) -> bool:
    """True if each value is the value of a setting or follows from it: `thp (100 % huge)` from `thp`, 65536
    from `64KiB`, and any value from a setting whose default depends on the target or the machine.
    """
    return all(
        setting == NOT_SET
        or value == setting
        or value.startswith(f"{setting} (")
        or ((sizes := _sizes((value, setting))) is not None and sizes[0] == sizes[1])
        for value, setting in zip(values, settings, strict=True)
    )


def _other_settings(job: dict[str, Any]) -> dict[str, Any]:
    return {
        path: value for path, value in settings_of(job).items() if not path.startswith(OTHERWISE_COMPARED)
    }


def _environment(system: System) -> dict[str, Any]:
    """Return the facts in which a difference is a factor; the name of a machine only says which one it is."""
    return {name: value for name, value in system.facts.items() if name != HOST_NAME and is_factor(name)}


def _params(system: System, other: System) -> dict[str, Any]:
    """Return the parameters that either system sets; one that is not set has its default value."""
    own = dict(flat(system.params))
    unset = {name: system.defaults[name] for name in dict(flat(other.params)) if name in system.defaults}
    return {**unset, **own}
