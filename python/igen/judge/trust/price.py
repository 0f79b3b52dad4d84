"""What the machine, and others on it, may have cost a run: a bound in percent on its throughput and times.

Seconds of processors that the system lost come first: those that the hypervisor took, and those in which
another process ran while a thread of the system was ready to. Had it had them, it would have done its work
in so much less time: in proportion to the processor time it used, where processors are what it waits for, or
to the rest of the measured time, where one thing after the other must be done. The smaller of both is the
bound. Threads that wait while no other process runs wait for each other: that is the load itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from igen.facts import ENGINE_CLOCK_DRIFT_PPM, ENGINE_STOOD_STILL_S
from igen.judge.record.target import Place, target_place
from igen.judge.run.lateness import late_starts
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import OWN, OWN_CHILDREN
from igen.judge.trust.disturbance import LATE, Bound, Cause, Disturbance
from igen.judge.trust.finding import Finding, Runs, finding
from igen.judge.trust.foreign import foreign_cpu
from igen.judge.trust.other_clients import other_clients
from igen.judge.trust.rules.machine import (
    CLOCK_DRIFT_PPM,
    LEAST_PROGRAMS_SHARE,
    MOST_PERCENT,
    MOST_UTILISATION,
    TICK_S,
)
from igen.units import NS_PER_S, PPM_PER_PERCENT


def disturbance_of(run: MeasuredRun) -> Disturbance:
    """The price of all that is known to have disturbed a run; of several loads at once the dearest of each
    cause."""
    if run.loads:
        return _dearest({name: disturbance_of(part) for name, part in run.loads.items()})
    if run.measured_s <= 0 or not run.transactions.count:
        return Disturbance()
    causes = [*_lost_processors(run), *_other_clients(run), *_stood_still(run)]
    causes += late_starts(run, paid_percent=-sum(cause.times.low_percent for cause in causes))
    return Disturbance.of([*causes, *_clock(run)])


def mean_disturbance(parts: Sequence[Disturbance]) -> Disturbance:
    """The price of a level, from its executions'; each cause in the words of the run that it cost most, with
    the number of runs that it was found in."""
    by_rule: dict[str, list[Cause]] = {}
    for part in parts:
        for cause in part.causes:
            by_rule.setdefault(cause.rule, []).append(cause)
    causes = []
    for found in by_rule.values():
        throughput = _mean([cause.throughput for cause in found], len(parts))
        times = _mean([cause.times for cause in found], len(parts))
        dearest = max(found, key=lambda cause: cause.dearness).finding
        runs = Runs(number=len(found), of=len(parts)) if len(parts) > 1 else None
        causes.append(Cause(finding=replace(dearest, runs=runs), throughput=throughput, times=times))
    return Disturbance.of(causes)


def level_disturbance(parts: Sequence[Disturbance], trend: Sequence[Cause]) -> Disturbance:
    """Return the bounds of a level: what its runs share, beside what disturbed each of them."""
    return Disturbance.of([*trend, *mean_disturbance(parts).causes])


def _dearest(parts: Mapping[str, Disturbance]) -> Disturbance:
    """Bounds wide enough for each load. Late starts are those of one, which is named."""
    found: dict[str, list[Cause]] = {}
    for name, part in parts.items():
        for cause in part.causes:
            named = replace(cause.finding, load=name) if cause.rule == LATE else cause.finding
            found.setdefault(cause.rule, []).append(replace(cause, finding=named))
    causes = []
    for each in found.values():
        dearest = max(each, key=lambda cause: cause.dearness)
        throughput, times = (
            _widest([getattr(cause, of) for cause in each]) for of in ("throughput", "times")
        )
        causes.append(replace(dearest, throughput=throughput, times=times))
    return Disturbance.of(causes)


def _widest(bounds: Sequence[Bound]) -> Bound:
    return Bound(
        low_percent=min(bound.low_percent for bound in bounds),
        high_percent=max(bound.high_percent for bound in bounds),
    )


def _lost_processors(run: MeasuredRun) -> Iterator[Cause]:
    """Threads of the system were ready and did not run: other processes or another machine did."""
    taken = [*_foreign(run), *_stolen(run)]
    seconds = sum(lost_s for lost_s, _ in taken)
    throughput, times = _cost(run, seconds)
    if throughput.width_percent or times.width_percent:
        found = finding("processors-lost", because=[why for _, why in taken], lost_s=seconds)
        yield Cause(finding=found, throughput=throughput, times=times)


def _foreign(run: MeasuredRun) -> Iterator[tuple[float, Finding]]:
    """Yield the seconds in which other processes ran while a thread of the system waited for a processor."""
    found = foreign_cpu(run)
    if found is None or found.percent <= 0:
        return
    seconds = min(found.percent / 100 * run.host.processors * run.measured_s, _waited_s(run))
    if seconds > 0:
        yield seconds, found.finding


def _other_clients(run: MeasuredRun) -> Iterator[Cause]:
    """Other clients loaded the same server: without them the load would have had so much more."""
    found = other_clients(run)
    if found is not None:
        throughput, times = _as_bounds(run, found.share / max(1 - found.share, 100 / MOST_PERCENT.value))
        yield Cause(finding=found.finding, throughput=throughput, times=times)


def _waited_s(run: MeasuredRun) -> float:
    """Seconds in which threads of the system were ready and had no processor, at most.

    The load process tells its own. Servers and programs that the load starts do not: the time in which any
    task waited says when none did.
    """
    own = run.host.sum_per_s("process", ("wait_s",), run.host.drivers())
    alone = target_place(run.recording) is not Place.LOCAL and not _programs_work(run)
    if own is not None and alone:
        return own * run.measured_s
    pressure = run.resources.pressure_cpu_percent
    share = 1.0 if pressure is None else pressure / 100
    return share * max(run.host.processors, 1) * run.measured_s


def _programs_work(run: MeasuredRun) -> bool:
    """Whether programs that the load has started do part of its work, as those of a shell's command do."""
    drivers = run.host.drivers()
    programs = run.host.sum_per_s("process", OWN_CHILDREN, drivers) or 0.0
    return programs > LEAST_PROGRAMS_SHARE.value * (run.host.sum_per_s("process", OWN, drivers) or 0.0)


def _stolen(run: MeasuredRun) -> Iterator[tuple[float, Finding]]:
    """Yield the seconds in which the hypervisor gave the system's processors to others."""
    percent, busy_percent = run.resources.cpu_steal_percent, run.resources.cpu_percent
    if percent is None:
        return
    # One tick of each processor may belong to the time before.
    certain = percent - 100 * TICK_S.value / run.measured_s
    if certain <= 0:
        return
    own = _own_s(run)
    busy_s = (busy_percent or 0.0) / 100 * run.host.processors * run.measured_s
    share = min(own / busy_s, 1.0) if own is not None and busy_s > 0 else 1.0
    seconds = share * certain / 100 * max(run.host.processors, 1) * run.measured_s
    yield seconds, finding("steal", stolen_percent=percent)


def _stood_still(run: MeasuredRun) -> Iterator[Cause]:
    """Price the time in which no thread of the load process ran, although none waited for a processor."""
    stood_s = run.recording.facts.get(ENGINE_STOOD_STILL_S)
    if not isinstance(stood_s, int | float) or stood_s <= 0:
        return
    rest_s = max(run.measured_s - stood_s, stood_s * 100 / MOST_PERCENT.value)
    throughput, times = _as_bounds(run, stood_s / rest_s, stood_s)
    yield Cause(finding=finding("stood-still", stood_still_s=stood_s), throughput=throughput, times=times)


def _own_s(run: MeasuredRun) -> float | None:
    """Processor time of all that works for the job; None where it was not told."""
    followed = run.host.followed()
    used = [(kind, run.host.sum_per_s(kind, OWN, [name])) for kind, name in followed]
    if not any(kind == "process" and busy is not None for kind, busy in used):
        return None
    return sum(busy or 0.0 for _, busy in used) * run.measured_s


def _cost(run: MeasuredRun, lost_s: float) -> tuple[Bound, Bound]:
    """What lost seconds of processors cost throughput and times."""
    if lost_s <= 0:
        return Bound(), Bound()
    rest_s = max(run.measured_s - lost_s, 0.0)
    gain = lost_s / max(_own_s(run) or 0.0, rest_s, lost_s * 100 / MOST_PERCENT.value)
    return _as_bounds(run, gain, lost_s)


def _as_bounds(run: MeasuredRun, gain: float, lost_s: float | None = None) -> tuple[Bound, Bound]:
    """Bounds of a system that could be faster by `gain`, as its load model shows it."""
    recording, transactions = run.recording, run.transactions
    busy_s = (transactions.service_time.sum_ns + transactions.failed_time.sum_ns) / NS_PER_S
    if recording.load_model == "closed":
        return _as_closed_bounds(run, gain, busy_s, lost_s)
    # The throughput is what was offered, at most; waiting times grow with 1 / (1 - utilisation).
    users = recording.users
    utilisation = min(busy_s / (users * run.measured_s), MOST_UTILISATION.value) if users else 0.0
    share = gain / (1 + gain) if lost_s is None else lost_s / max(busy_s, lost_s)
    served = 1.0 if run.offered is None else run.offered.served_share
    missing = (1 - served) / max(served, 100 / MOST_PERCENT.value)
    return (
        Bound(high_percent=100 * min(gain, missing)),
        Bound(low_percent=-min(100 * share / (1 - utilisation), 100.0)),
    )


def _as_closed_bounds(
    run: MeasuredRun, gain: float, busy_s: float, lost_s: float | None
) -> tuple[Bound, Bound]:
    """Bounds for users who wait for an answer before they ask again: they think as long on any machine."""
    think_s = sum(interval.think_time_s for interval in run.intervals)
    busy_share = busy_s / (busy_s + think_s) if busy_s else 1.0
    if lost_s is None:
        # All work was slower, and queues by as much more as they are long.
        longest = min(1 / busy_share, 1 / (1 - _utilisation(run)))
    else:
        # A lost second delays whoever is not thinking: fewer than one user on average, or all of them.
        longest = max(run.measured_s / busy_s if busy_s else 1.0, 1.0)
    shorter = min(gain / (1 + gain) * longest, 1.0)
    of_cycle = busy_share * shorter
    higher = of_cycle / (1 - of_cycle) if of_cycle < 1 else gain
    return (
        Bound(high_percent=min(100 * min(gain, higher), MOST_PERCENT.value)),
        Bound(low_percent=-100 * shorter),
    )


def _utilisation(run: MeasuredRun) -> float:
    """How busy the busiest thread of a target on this machine was at most: as busy as all of it together."""
    percent = run.resources.cpu_percent
    if percent is None or target_place(run.recording) is Place.REMOTE:
        return MOST_UTILISATION.value
    return min(percent / 100 * max(run.host.processors, 1), MOST_UTILISATION.value)


def _clock(run: MeasuredRun) -> Iterator[Cause]:
    """The clock ran at another speed than the system's."""
    drift_ppm = run.recording.facts.get(ENGINE_CLOCK_DRIFT_PPM)
    if isinstance(drift_ppm, int | float) and abs(drift_ppm) > CLOCK_DRIFT_PPM.value:
        percent = abs(drift_ppm) / PPM_PER_PERCENT
        both = Bound(low_percent=-percent, high_percent=percent)
        yield Cause(finding=finding("clock-drift", drift_ppm=abs(drift_ppm)), throughput=both, times=both)


def _mean(bounds: Sequence[Bound], n: int) -> Bound:
    return Bound(
        low_percent=sum(bound.low_percent for bound in bounds) / n,
        high_percent=sum(bound.high_percent for bound in bounds) / n,
    )
