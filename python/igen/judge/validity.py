"""The verdict on a run and on a level: every check in one list, every reason with its figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from igen.judge import limits, load_checks, machine_checks
from igen.judge.aspect import Aspect
from igen.judge.baseline import Baseline
from igen.judge.damage import damage
from igen.judge.disturbance import Bound, Disturbance
from igen.judge.limits import Finding
from igen.judge.measured import MeasuredRun
from igen.judge.personas import of_each_load
from igen.judge.result import Estimate, Repeat, Times, Verdict
from igen.judge.wording import bound_text
from igen.units import format_time_ms

DISTURBED = "disturbed"
"""The rule of a price that is too high."""


def findings_of(run: MeasuredRun, baseline: Baseline, aspects: Sequence[Aspect] = ()) -> list[Finding]:
    """All limits that a run broke, the gravest first; what disturbed it is `priced`.

    Failures that were seen count in any run. If the run was not measured, missing work and missing users
    follow from that and are no findings.
    """
    ended = [*machine_checks.fault(run.recording), *machine_checks.lost_agents(run)]
    measured = was_measured(ended)
    broken = [
        *ended,
        *(of_each_load(run, load_checks.nothing) if measured or run.failed else ()),
        *of_each_load(run, load_checks.errors),
        *load_checks.lost(run),
        *load_checks.failed_io(run),
        *(_of_whole_load(run, baseline) if measured else ()),
        *of_each_load(run, load_checks.unfinished),
        *machine_checks.driver_cpu(run),
        *machine_checks.company(run),
        *(finding for each in aspects for finding in each.check(run)),
        *damage(run),
    ]
    return sorted(broken, key=lambda finding: finding.verdict)


def _of_whole_load(run: MeasuredRun, baseline: Baseline) -> Iterator[Finding]:
    """Limits of a load that was there as a whole."""
    yield from of_each_load(run, load_checks.unsent)
    # Before the rate, which it explains.
    yield from of_each_load(run, load_checks.users_left)
    yield from of_each_load(run, load_checks.rate)
    yield from _steady(run)
    yield from of_each_load(run, lambda each: load_checks.littles_law(each, baseline.floor_s))


def _steady(run: MeasuredRun) -> Iterator[Finding]:
    """Each of several loads at once must be steady, and so must their sum."""
    yield from load_checks.steady(run)
    if run.personas:
        yield from of_each_load(run, lambda each: load_checks.steady(each, run.unsteady))


def priced(
    disturbance: Disturbance, throughput: Estimate | None = None, times: Times | None = None
) -> list[Finding]:
    """Return findings if the price of what others did is not small against the intervals of the figures.

    Late starts of the driver are a bound and no finding: the truth lies between two measured figures.
    """
    disturbance = disturbance.by_others
    of_throughput = _of_bound(disturbance.throughput, throughput)
    of_times = _of_bound(disturbance.times, times.mean_interval if times else None)
    text = disturbance_text(disturbance)
    if of_throughput and of_throughput == of_times:
        return [Finding(of_times, DISTURBED, text)]
    found = []
    if of_throughput:
        found.append(Finding(of_throughput, DISTURBED, text, quantity="throughput"))
    if of_times:
        found.append(Finding(of_times, DISTURBED, text, quantity="times"))
    return found


def disturbance_text(disturbance: Disturbance) -> str:
    """`disturbed: machine 0 to +9.0 % on throughput, -8.3 to 0 % on times (others used 15.0 % of ...)`."""
    quantities = [
        f"{text} on {name}"
        for name, bound in (("throughput", disturbance.throughput), ("times", disturbance.times))
        if (text := bound_text(bound))
    ]
    causes = "; ".join(cause.text for cause in disturbance.causes)
    return f"disturbed: machine {', '.join(quantities)} ({causes})"


def is_disturbed(repeat: Repeat) -> bool:
    """Whether a run is worth another one: what disturbed it may pass, and cost it much."""
    return passing_percent(repeat.disturbance) > limits.REPEAT_AGAIN_PERCENT


def passing_percent(disturbance: Disturbance) -> float:
    """What may have passed when a run is executed again, by the quantity that it cost more.

    Late starts of a driver on a machine that holds still would be as late again.
    """
    passing = disturbance.by_others.causes
    return max(
        sum(cause.throughput.width_percent for cause in passing),
        sum(cause.times.width_percent for cause in passing),
    )


def _of_bound(bound: Bound, estimate: Estimate | None) -> Literal["SUSPECT", "INVALID"] | None:
    half_percent = 0.0
    if estimate and estimate.low is not None and estimate.high is not None and estimate.value > 0:
        half_percent = 100 * (estimate.high - estimate.low) / 2 / estimate.value
    if bound.width_percent > limits.BEYOND_USE_PERCENT:
        return "INVALID"
    small = max(limits.BOUND_PERCENT, limits.BOUND_SHARE * half_percent)
    return "SUSPECT" if bound.width_percent > small else None


def late_warning(disturbance: Disturbance, least: Times | None, times: Times | None) -> list[str]:
    """Return between which figures the true response times lie, if late starts are not small."""
    late = disturbance.late
    if late is None or least is None or times is None or _of_bound(late.times, times.mean_interval) is None:
        return []
    mean, p99 = (
        f"{format_time_ms(getattr(least, name))} and {format_time_ms(getattr(times, name))}"
        for name in ("mean", "p99")
    )
    return [f"{late.text}: the mean response time is between {mean}, the p99 between {p99}"]


def verdicts_of(found: Iterable[Finding]) -> tuple[Verdict, Verdict, Verdict]:
    """Verdicts of the whole, of the throughput and of the times: the whole is what both are, else SUSPECT."""
    told = list(found)
    throughput = verdict_of(finding for finding in told if finding.quantity != "times")
    times = verdict_of(finding for finding in told if finding.quantity != "throughput")
    return (throughput if throughput == times else "SUSPECT"), throughput, times


def verdict_of(found: Iterable[Finding]) -> Verdict:
    """The gravest verdict."""
    verdicts = {finding.verdict for finding in found}
    if "INVALID" in verdicts:
        return "INVALID"
    return "SUSPECT" if verdicts else "VALID"


def was_measured(found: Iterable[Finding]) -> bool:
    """Return True if the run is an observation of the system."""
    return not any(finding.not_measured for finding in found)


def stands_in(found: Iterable[Finding]) -> bool:
    """Whether a run may stand for its level beside others."""
    return not any(finding.verdict == "INVALID" and finding.spoils_run for finding in found)


def level_findings(used: Sequence[list[Finding]], others: Sequence[list[Finding]]) -> list[Finding]:
    """One finding for each rule: the gravest run's words, and in how many runs it was broken.

    `used` are those of the runs that the level's figures rest on. Of the others counts only what spoils the
    level.
    """
    spoiling = [[finding for finding in found if finding.spoils_level] for found in others]
    counted = [*used, *(found for found in spoiling if found)]
    return list(_folded(counted))


def load_failures(runs: Sequence[list[Finding]]) -> list[str]:
    """Why the load itself failed, from the findings of all runs of a level; empty where it did not."""
    return [
        finding.text for finding in _folded([[each for each in found if each.load_failed] for found in runs])
    ]


def is_overloaded(of_level: Sequence[Finding]) -> bool:
    """Whether nothing but a rate that the system did not serve makes the level INVALID. Times of such a load
    are those of a queue that grows, whatever disturbed them."""
    invalid = [each for each in of_level if each.verdict == "INVALID" and each.quantity != "times"]
    return bool(invalid) and all(each.overload and not each.load_failed for each in invalid)


def _folded(runs: Sequence[list[Finding]]) -> Iterator[Finding]:
    by_rule: dict[tuple[str, str], list[Finding]] = {}
    broken = [finding for found in runs for finding in found]
    for finding in sorted(broken, key=lambda finding: finding.verdict):
        by_rule.setdefault((finding.rule, finding.quantity), []).append(finding)
    for each in by_rule.values():
        told = f"; in {len(each)} of {len(runs)} runs" if len(runs) > 1 else ""
        yield replace(each[0], text=each[0].text + told)
