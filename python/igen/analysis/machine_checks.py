"""Did the machine, or somebody else on it, disturb a run?"""

from __future__ import annotations

from collections.abc import Iterator

from igen.analysis import limits
from igen.analysis.limits import Finding
from igen.analysis.measured import MeasuredRun
from igen.analysis.recording import Recording
from igen.analysis.resources import DRIVER
from igen.analysis.target import Place, target_place
from igen.units import format_count


def steal(run: MeasuredRun) -> Iterator[Finding]:
    """The hypervisor took processors away."""
    percent = run.resources.cpu_steal_percent
    if percent is None or run.measured_s <= 0:
        return
    certain = percent - 100 * limits.STEAL_TICK_S / run.measured_s
    if certain <= limits.STEAL_SUSPECT_PERCENT:
        return
    invalid = certain > limits.STEAL_INVALID_PERCENT
    limit = limits.STEAL_INVALID_PERCENT if invalid else limits.STEAL_SUSPECT_PERCENT
    text = f"steal {percent:.1f} % of the processors' time (limit {limit:g} %)"
    yield Finding("INVALID" if invalid else "SUSPECT", "steal", text)


def pressure(run: MeasuredRun) -> Iterator[Finding]:
    """Tasks waited for a processor although the load leaves some free.

    Where the work is done in the load process, its own waiting says more: an embedded database that writes
    keeps kernel threads busy, which wait for a processor without holding up anybody.
    """
    if not _leaves_processors_free(run):
        return
    waiting = run.host.per_s("process", "wait_s", DRIVER)
    percent = run.resources.pressure_cpu_percent
    told_by_driver = waiting is not None and target_place(run.recording) is Place.IN_PROCESS
    if percent is not None and percent > limits.PRESSURE_PERCENT and not told_by_driver:
        text = (
            f"tasks waited for a processor {percent:.0f} % of the time (limit {limits.PRESSURE_PERCENT:g} %)"
        )
        yield Finding("SUSPECT", "pressure", text)
    busy_s = (run.transactions.service_time.sum_ns + run.transactions.failed_time.sum_ns) / 1e9
    if waiting is None or not busy_s:
        return
    percent = min(100 * waiting * run.measured_s / busy_s, 100.0)
    if percent > limits.DRIVER_WAIT_PERCENT:
        switches = run.host.per_s("process", "involuntary_switches", DRIVER) or 0.0
        yield Finding(
            "SUSPECT",
            "driver wait",
            f"the load process waited for a processor in {percent:.0f} % of the service time "
            f"(limit {limits.DRIVER_WAIT_PERCENT:g} %) and lost it {format_count(switches)} times a second",
        )


def _leaves_processors_free(run: MeasuredRun) -> bool:
    """Whether waiting for a processor cannot be the load's own doing."""
    place = target_place(run.recording)
    if place is Place.IN_PROCESS:
        users = run.recording.users
        return users is not None and users <= run.host.processors
    return place is Place.REMOTE


def driver_cpu(run: MeasuredRun) -> Iterator[Finding]:
    """The driver was short of processors; where the work is done in its own process that is the load."""
    percent = run.resources.driver_cpu_percent
    if percent is None or target_place(run.recording) is Place.IN_PROCESS:
        return
    if percent > limits.DRIVER_CPU_PERCENT:
        limit = f"(limit {limits.DRIVER_CPU_PERCENT:g} %)"
        text = f"the load process used {percent:.0f} % of all processors {limit}"
        yield Finding("SUSPECT", "driver CPU", text)


def foreign_cpu(run: MeasuredRun) -> Iterator[Finding]:
    """Processor time of neither load nor target; not told where the target's processes are unknown.

    Of files and devices the target's are the threads of the kernel: file systems and arrays work in them.
    """
    percent = run.resources.foreign_cpu_percent
    followed = [subject for _, subject in run.host.followed() if subject != DRIVER]
    if percent is None or (target_place(run.recording) is Place.LOCAL and not followed):
        return
    processors = max(run.host.processors, 1)
    found = run.host.processes()
    if any(target.startswith("file:") for target in run.recording.targets):
        kernel = [row for row in found if _is_of_kernel(row[0])]
        found = [row for row in found if row not in kernel]
        percent -= 100 * sum(busy for _, busy in kernel) / processors
    if percent > limits.FOREIGN_CPU_PERCENT:
        top = [
            f"{subject.partition(' ')[2] or subject} {100 * busy / processors:.1f} %"
            for subject, busy in found[:3]
            if 100 * busy / processors >= 0.5
        ]
        names = f": {', '.join(top)}" if top else ""
        limit = f"(limit {limits.FOREIGN_CPU_PERCENT:g} %)"
        yield Finding(
            "SUSPECT", "foreign CPU", f"others used {percent:.1f} % of all processors {limit}{names}"
        )


def _is_of_kernel(subject: str) -> bool:
    """Whether `17 [kworker/0:1]` is a thread of the kernel."""
    return subject.partition(" ")[2].startswith("[")


def canary(run: MeasuredRun, median_spins_per_s: float | None) -> Iterator[Finding]:
    """A fixed piece of work ran at another speed than before, or than in the rest of the study."""
    speeds = dict(run.recording.canaries)
    before, after = speeds.get(False), speeds.get(True)
    changes = []
    if before and after:
        changes.append((after / before - 1, "after the run was", "before it"))
    if median_spins_per_s:
        for speed, when in ((before, "before"), (after, "after")):
            if speed:
                changes.append(
                    (speed / median_spins_per_s - 1, f"{when} the run was", "the median of all runs")
                )
    change, when, base = max(changes, key=lambda row: abs(row[0]), default=(0.0, "", ""))
    if abs(change) > limits.CANARY_SHARE:
        limit = f"(limit {100 * limits.CANARY_SHARE:g} %)"
        direction = "faster" if change > 0 else "slower"
        text = f"the spin canary {when} {100 * abs(change):.1f} % {direction} than {base} {limit}"
        yield Finding("SUSPECT", "canary", text)


def facts(run: MeasuredRun) -> Iterator[Finding]:
    """What the agent and the fleet say about clock and company."""
    told = run.recording.facts
    drift_ppm = told.get("engine.clock_drift_ppm")
    if isinstance(drift_ppm, int | float) and abs(drift_ppm) > limits.CLOCK_DRIFT_PPM:
        limit = f"(limit {limits.CLOCK_DRIFT_PPM:g})"
        yield Finding("SUSPECT", "clock", f"the clock drifted by {abs(drift_ppm):.0f} ppm {limit}")
    others = told.get("environment.concurrent_runs")
    if isinstance(others, int) and others > 0:
        text = f"{others} other run{'s were' if others > 1 else ' was'} active on this machine"
        yield Finding("SUSPECT", "concurrent runs", text)


def fault(recording: Recording) -> Iterator[Finding]:
    """The execution did not end by itself."""
    text = recording.fault()
    if text is not None:
        yield Finding("INVALID", "fault", text, spoils_level=recording.outcome != "interrupted")
