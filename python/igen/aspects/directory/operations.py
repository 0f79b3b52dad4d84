"""LDAP operations of a level: as published results count them, and as the directories counted them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from igen.aspects.directory.parts import CrossCheck, Directory, LdapOperations
from igen.facts import FLEET_AGENTS, LDAP_OPERATIONS
from igen.judge.aspect import LevelRuns
from igen.judge.figure.interval import mean_interval
from igen.judge.result import Finding, Part
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import finding

SITEMINDER = "ldap-siteminder"
"""Fact: for each target what was sent to it between two looks at `cn=Operations,cn=Monitor`, and what it
counted."""
PLURALS = {"search": "searches", "modify": "modifies", "extended": "extended operations"}
"""Plurals of kinds of operations; others take an s."""


def directory_of(runs: LevelRuns) -> Directory | None:
    """None where no directory was loaded."""
    operations, cross_check = ldap_operations_of(runs.used), cross_check_of(runs.all)
    return Directory(operations=operations, cross_check=cross_check) if operations or cross_check else None


def ldap_operations_of(runs: Sequence[MeasuredRun]) -> LdapOperations | None:
    """Means over runs; None for other workloads, and where nothing was measured."""
    measured = [
        run for run in runs if run.recording.job.get("workload") == SITEMINDER and run.transactions.count
    ]
    if not measured:
        return None
    authentications = [run.transactions.count + run.transactions.failed for run in measured]
    operations = [sum(each.count + each.failed for each in run.operations.values()) for run in measured]
    both = list(zip(measured, operations, authentications, strict=True))
    return LdapOperations(
        each=sum(operations) / sum(authentications),
        per_s=mean_interval([sent / run.measured_s for run, sent, _ in both]),
        published_per_s=mean_interval([(sent + one) / run.measured_s for run, sent, one in both]),
    )


def cross_check_of(runs: Sequence[MeasuredRun]) -> CrossCheck | None:
    """Sums over all runs, also those on which no other figure rests; None where no directory was loaded."""
    told = [each for run in runs for each in _told(run)]
    if not told:
        return None
    sent: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for each in told:
        if each.get("counted") is not None:
            sent.update(each["sent"])
            counted.update(each.get("counted"))
    without = [each for each in told if each.get("counted") is None]
    uncounted = {str(each["target"]): str(each.get("why") or "unknown") for each in without}
    return CrossCheck(sent=dict(sent), counted=dict(counted), uncounted=uncounted)


def miscounted(run: MeasuredRun) -> Iterator[Finding]:
    """A directory counted other operations than were sent to it: the most different one, with the figure."""
    differing = [each for each in _told(run) if each.get("counted") is not None and _differences(each)]
    if not differing:
        return
    worst = max(differing, key=lambda each: max(abs(more) for more in _differences(each).values()))
    counts = [
        part
        for kind in _differences(worst)
        for part in (
            Part(name="counted", figure=worst["counted"].get(kind, 0), text=kind),
            Part(name="sent", figure=worst["sent"].get(kind, 0), text=kind),
        )
    ]
    lost = sum(count for reason, count in run.failures.items() if reason.kind == "lost")
    taken_back = 0 < -sum(_differences(worst).values()) <= lost
    yield finding(
        "directory-count",
        *counts,
        *([Part(name="lost_connections", figure=lost)] if taken_back else []),
        target=str(worst["target"]),
        others=len(differing) - 1,
    )


def _told(run: MeasuredRun) -> list[Mapping[str, Any]]:
    """Return what was sent and counted. Each of several agents sees what the others send counted, too."""
    told: list[Mapping[str, Any]] = list(run.recording.facts.get(LDAP_OPERATIONS) or [])
    if run.recording.facts.get(FLEET_AGENTS, 1) == 1:
        return told
    return [{**each, "counted": None, "why": "several agents loaded it at once"} for each in told]


def _differences(told: Mapping[str, Any]) -> dict[str, int]:
    """By kind: how many more were counted than sent, where the numbers differ."""
    sent, counted = told["sent"], told["counted"]
    more = {kind: counted.get(kind, 0) - sent.get(kind, 0) for kind in {**sent, **counted}}
    return {kind: number for kind, number in more.items() if number}
