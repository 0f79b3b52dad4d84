"""Was the machine the load's own, and did the execution end by itself? What disturbed it has a price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from igen.facts import ENVIRONMENT_CONCURRENT_RUNS, FLEET_AGENTS, FLEET_LOST, FLEET_MACHINES
from igen.judge import limits
from igen.judge.foreign import foreign_cpu
from igen.judge.limits import Finding
from igen.judge.load_checks import served_share
from igen.judge.measured import MeasuredRun
from igen.judge.recording import Recording
from igen.judge.resources import resources
from igen.judge.target import Place, target_place


def driver_cpu(run: MeasuredRun) -> Iterator[Finding]:
    """The driver was short of processors; where the work is done in its own process that is the load."""
    if target_place(run.recording) is Place.IN_PROCESS:
        return
    limit = f"(limit {limits.DRIVER_CPU_PERCENT:g} %)"
    if load_machines(run.recording):
        yield from _busy_load_machine(run, limit)
        return
    percent = run.resources.driver_cpu_percent
    if percent is not None and percent > limits.DRIVER_CPU_PERCENT:
        text = f"the load process used {percent:.0f} % of all processors {limit}"
        yield Finding("SUSPECT", "driver CPU", text)


def _busy_load_machine(run: MeasuredRun, limit: str) -> Iterator[Finding]:
    """Several load processes are there to be enough: a level that they were not enough for has no figure."""
    used = {run.recording.host: run.resources.driver_cpu_percent}
    for host, readings in run.recording.elsewhere.items():
        used[host] = resources(run.host.of_machine(readings)).driver_cpu_percent
    known = {host: percent for host, percent in used.items() if percent is not None}
    if not known:
        return
    busiest = max(known, key=known.__getitem__)
    if known[busiest] > limits.DRIVER_CPU_PERCENT:
        machines = load_machines(run.recording)
        needed = sum(known.values()) / len(known) * machines / limits.DRIVER_CPU_PERCENT
        enough = max(ceil(needed), machines + 1)
        # A load that its machines held back would ask more of more machines; how much is not seen.
        held = served_share(run) == 1.0
        these = f"{enough} such machines"
        told = f"{these} would do" if held else f"at least {these} would be needed"
        text = (
            f"the load machine {busiest} was the bottleneck: load processes used {known[busiest]:.0f} % of "
            f"all its processors {limit}; {told}"
        )
        yield Finding("INVALID", "driver CPU", text, spoils_level=True, spoils_run=False, load_failed=True)


def load_machines(recording: Recording) -> int:
    """On how many machines several load processes shared the level; 0 where there was one process."""
    machines = recording.facts.get(FLEET_MACHINES)
    return machines if isinstance(machines, int) else 0


def lost_of(recording: Recording) -> list[str]:
    """What is said of each load process that was lost."""
    lost = recording.facts.get(FLEET_LOST)
    return [str(each) for each in lost] if isinstance(lost, list) else []


def lost_agents(run: MeasuredRun) -> Iterator[Finding]:
    """A load process was lost: its part of the load is missing, whatever the others did."""
    if run.recording.fault() is not None:
        return  # it says so
    lost = lost_of(run.recording)
    agents = run.recording.facts.get(FLEET_AGENTS)
    if lost and isinstance(agents, int):
        share = f"{len(lost)} of {agents} shares of the load {'is' if len(lost) == 1 else 'are'} missing"
        text = f"{'; '.join(lost)}; from then on {share}"
        yield Finding("INVALID", "lost agent", text, not_measured=True, load_failed=True)


def company(run: MeasuredRun) -> Iterator[Finding]:
    """What the fleet says about company."""
    others = run.recording.facts.get(ENVIRONMENT_CONCURRENT_RUNS)
    if isinstance(others, int) and others > 0:
        text = f"{others} other run{'s were' if others > 1 else ' was'} active on this machine"
        yield Finding("SUSPECT", "concurrent runs", text)


def shared(runs: Sequence[MeasuredRun]) -> Iterator[Finding]:
    """Others took a large part of the machine: next time they may take another one, whatever it cost now."""
    found = [each for run in runs if (each := foreign_cpu(run)) is not None]
    if found and sum(each.percent for each in found) / len(found) > limits.SHARED_PERCENT:
        most = max(found, key=lambda each: each.percent)
        text = f"the machine was not the load's own (limit {limits.SHARED_PERCENT:g} %): {most.text}"
        yield Finding("SUSPECT", "shared machine", text)


def fault(recording: Recording) -> Iterator[Finding]:
    """The execution did not end by itself. If the load failed as the agent itself reports, that is a finding
    about the system; if nobody is left to report it, the run was not measured."""
    text = recording.fault()
    if text is not None:
        reported = recording.outcome == "failed" and not lost_of(recording)
        failed = recording.outcome != "interrupted"
        yield Finding(
            "INVALID", "fault", text, spoils_level=reported, not_measured=not reported, load_failed=failed
        )
