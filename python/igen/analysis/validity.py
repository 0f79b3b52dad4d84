"""The verdict on a run and on a level: every check in one list, every reason with its figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from igen.analysis import limits, load_checks, machine_checks
from igen.analysis.directory import miscounted
from igen.analysis.limits import Finding
from igen.analysis.measured import MeasuredRun
from igen.analysis.recording import Recording
from igen.analysis.result import Verdict


@dataclass(frozen=True, slots=True)
class Study:
    """What a run is compared with."""

    canary_spins_per_s: float | None
    """Median of all canaries of the study."""
    floor_s: float
    """The engine's own cost per transaction."""


def study_of(recordings: Iterable[Recording], floor_ns: float | None) -> Study:
    """What all runs together say."""
    spins = [speed for recording in recordings for _, speed in recording.canaries]
    floor_s = limits.ASSUMED_FLOOR_S if floor_ns is None else floor_ns / 1e9
    return Study(median(spins) if spins else None, floor_s)


def findings_of(run: MeasuredRun, study: Study) -> list[Finding]:
    """All limits that a run broke, the gravest first."""
    broken = [
        *machine_checks.fault(run.recording),
        *load_checks.nothing(run),
        *load_checks.errors(run),
        *load_checks.lost(run),
        *load_checks.unsent(run),
        *load_checks.rate(run),
        *machine_checks.steal(run),
        *load_checks.steady(run),
        *load_checks.unfinished(run),
        *load_checks.littles_law(run, study.floor_s),
        *load_checks.send_lag(run),
        *machine_checks.driver_cpu(run),
        *machine_checks.pressure(run),
        *machine_checks.foreign_cpu(run),
        *machine_checks.canary(run, study.canary_spins_per_s),
        *machine_checks.facts(run),
        *miscounted(run),
    ]
    return sorted(broken, key=lambda finding: finding.verdict)


def verdict_of(found: Iterable[Finding]) -> Verdict:
    """The gravest verdict."""
    verdicts = {finding.verdict for finding in found}
    if "INVALID" in verdicts:
        return "INVALID"
    return "SUSPECT" if verdicts else "VALID"


def stands_in(found: Iterable[Finding]) -> bool:
    """Whether a run may stand for its level beside others."""
    return not any(finding.verdict == "INVALID" and finding.spoils_run for finding in found)


def level_verdict(
    used: Sequence[list[Finding]], others: Sequence[list[Finding]]
) -> tuple[Verdict, list[str]]:
    """Verdict and reasons of a level from the findings of the runs that its figures rest on.

    Of the others counts only what spoils the level.
    """
    spoiling = [[finding for finding in found if finding.spoils_level] for found in others]
    counted = [*used, *(found for found in spoiling if found)]
    return verdict_of(finding for found in counted for finding in found), _reasons(counted)


def _reasons(runs: Sequence[list[Finding]]) -> list[str]:
    """One sentence for each rule: the gravest run's words, and in how many runs it was broken."""
    by_rule: dict[str, list[Finding]] = {}
    broken = [finding for found in runs for finding in found]
    for finding in sorted(broken, key=lambda finding: finding.verdict):
        by_rule.setdefault(finding.rule, []).append(finding)
    return [
        each[0].text + (f"; in {len(each)} of {len(runs)} runs" if len(runs) > 1 else "")
        for each in by_rule.values()
    ]
