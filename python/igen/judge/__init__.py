"""Judging: pure functions from recorded events to results that carry their own uncertainty.

    record ─► run ─► trust ─► curve ─► compare          figure: how well each number on the way is known

Each room has a face that says what it gives. All of them know the vocabulary: `result` (the result
document), `trust.finding` and `trust.rules` (what fired, and THE table of rules), and `aspect` (what
workloads and targets add). Words are made of all that in `igen.say`. The rooms are imported when something
is judged, so that `igen.judge.result` costs little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from igen.judge.aspect import Aspect
    from igen.judge.compare.terms import Terms
    from igen.judge.intent import Intent
    from igen.judge.record.recording import Recording
    from igen.judge.result import Result, System

SCHEMA_VERSION = 2


def analyse(
    recordings: Iterable[Recording],
    floor: Recording | None = None,
    planned: Recording | None = None,
    intent: Intent | None = None,
    aspects: Sequence[Aspect] = (),
    canary_spins_per_s: float | None = None,
) -> list[System]:
    """Return everything about one recorded run: a system for each curve.

    That is one for each of the study's systems and each point of its axes other than load, and for the curve
    along the number of targets. `floor` is a recording of `noop`: the engine's own cost per transaction.
    `planned` is what is known without jobs; an `IgenError` if nothing was recorded and it is not there.
    `aspects` know workloads and targets. `canary_spins_per_s`: what the canary usually does in all runs that
    are laid side by side.
    """
    from igen.judge.curve.system import system_of, unmeasured, with_silent
    from igen.judge.intent import Intent
    from igen.judge.record.curves import curve_endings, curves_of
    from igen.judge.run.measured import floor_ns, measure_levels
    from igen.judge.trust.replaced import replaced_runs
    from igen.judge.trust.speed import at_usual_speed

    recorded, intent = list(recordings), intent or Intent()
    told = [recording for recording in recorded if recording.job]
    least_ns = floor_ns(floor) if floor else None
    curves = curves_of(told)
    measured = [measure_levels(curve.recordings, intent.value) for curve in curves]
    runs = at_usual_speed(measured, canary_spins_per_s)
    replaced = replaced_runs(
        [level for of_curve in runs for level in of_curve], intent.repeats, least_ns, aspects
    )
    systems = [
        system_of(curve, ending, of_curve, replaced, least_ns, intent, aspects)
        for curve, ending, of_curve in zip(curves, curve_endings(curves), runs, strict=True)
    ]
    first, *others = systems or [unmeasured(planned, least_ns, intent, aspects)]
    return [with_silent(first, [recording for recording in recorded if not recording.job]), *others]


def _with_sessions(system: System, terms: Terms) -> System:
    """Return the system with how well it is known in any session of its machine."""
    from dataclasses import replace

    from igen.judge.compare.any_session import any_session

    return replace(system, findings=[*system.findings, *any_session(system, terms)])


def result_of(
    systems: Sequence[System],
    title: str = "",
    aspects: Sequence[Aspect] = (),
    terms: Terms | None = None,
) -> Result:
    """Return the result document; the first system is the base of all ratios unless a study names one."""
    from dataclasses import replace

    from igen.judge.compare.compare import compare
    from igen.judge.result import Result
    from igen.version import VERSION

    comparison = compare(systems, terms)
    together = [replace(found, scope="study") for each in aspects for found in each.observe_together(systems)]
    return Result(
        schema_version=SCHEMA_VERSION,
        igen_version=VERSION,
        title=title or " against ".join(dict.fromkeys(system.name for system in systems)),
        systems=[_with_sessions(system, terms) for system in systems] if terms else list(systems),
        ratios=comparison.ratios,
        differences=comparison.differences,
        findings=comparison.findings,
        observations=[*together, *comparison.observations],
        attributions=comparison.attributions,
        overall=comparison.overall,
    )
