"""Was the machine the load's own, and did the execution end by itself? What disturbed it has a price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from igen.facts import ENVIRONMENT_CONCURRENT_RUNS, FLEET_AGENTS, FLEET_LOST, FLEET_MACHINES
from igen.judge.record.recording import Recording
from igen.judge.record.target import Place, target_place
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import DRIVER, Host, resources
from igen.judge.trust.finding import Finding, Part, finding
from igen.judge.trust.foreign import foreign_cpu
from igen.judge.trust.rules.machine import DRIVER_CPU_PERCENT, SHARED_PERCENT


def driver_cpu(run: MeasuredRun) -> Iterator[Finding]:
    """The driver was short of processors on one of its machines: the figures are its own.

    If the work is done in the driver's own process, that is the load.
    """
    if target_place(run.recording) is Place.IN_PROCESS:
        return
    machines = load_machines(run.recording)
    used = {run.recording.host: run.resources.driver_cpu_percent}
    used |= {name: resources(host).driver_cpu_percent for name, host in _other_load_machines(run)}
    known = {host: percent for host, percent in used.items() if percent is not None}
    busiest = max(known, key=known.__getitem__, default="")
    if known.get(busiest, 0.0) <= DRIVER_CPU_PERCENT.value:
        return
    parts = [Part(name="machine", text=busiest)]
    if machines:
        needed = sum(known.values()) / len(known) * machines / DRIVER_CPU_PERCENT.value
        # A load that its machines held back would ask more of more machines; how much is not seen.
        is_held = run.offered and run.offered.served == "held"
        name = "machines_enough" if is_held else "machines_needed_at_least"
        parts.append(Part(name=name, figure=max(ceil(needed), machines + 1)))
    yield finding(
        "driver-busy",
        *parts,
        limit=DRIVER_CPU_PERCENT.value,
        unit="percent",
        used_percent=known[busiest],
    )


def load_machines(recording: Recording) -> int:
    """On how many machines several load processes shared the level; 0 where there was one process."""
    machines = recording.facts.get(FLEET_MACHINES)
    return machines if isinstance(machines, int) else 0


def _other_load_machines(run: MeasuredRun) -> Iterator[tuple[str, Host]]:
    """Yield the load machines beside the first, by name."""
    if load_machines(run.recording):
        for name, readings in run.recording.elsewhere.items():
            yield name, run.host.of_machine(readings)


def throttled(run: MeasuredRun) -> Iterator[Finding]:
    """Yield a finding for each load machine on which a quota of processors stopped the load."""
    for name, host in ((run.recording.host, run.host), *_other_load_machines(run)):
        periods, stopped = (
            host.per_s("process", counter, DRIVER) for counter in ("quota_periods", "throttled_periods")
        )
        if periods and stopped:
            yield finding("throttled", machine=name, throttled_percent=100 * stopped / periods)


def lost_of(recording: Recording) -> list[str]:
    """What is said of each load process that was lost."""
    lost = recording.facts.get(FLEET_LOST)
    return [str(each) for each in lost] if isinstance(lost, list) else []


def lost_agents(run: MeasuredRun) -> Iterator[Finding]:
    """A load process was lost: its part of the load is missing, whatever the others did."""
    if any(fault(run.recording)):
        return  # it says so
    lost = lost_of(run.recording)
    agents = run.recording.facts.get(FLEET_AGENTS)
    if lost and isinstance(agents, int):
        words = [Part(name="loss", text=each) for each in lost]
        yield finding("share-lost", *words, lost=len(lost), shares=agents)


def company(run: MeasuredRun) -> Iterator[Finding]:
    """What the fleet says about company."""
    others = run.recording.facts.get(ENVIRONMENT_CONCURRENT_RUNS)
    if isinstance(others, int) and others > 0:
        yield finding("concurrent-runs", other_runs=others)


def shared(runs: Sequence[MeasuredRun]) -> Iterator[Finding]:
    """Others took a large part of the machine: next time they may take another one, whatever it cost now."""
    found = [each for run in runs if (each := foreign_cpu(run)) is not None]
    if found and sum(each.percent for each in found) / len(found) > SHARED_PERCENT.value:
        most = max(found, key=lambda each: each.percent)
        yield finding(
            "shared-machine",
            scope="level",
            limit=SHARED_PERCENT.value,
            unit="percent",
            because=[most.finding],
        )


def fault(recording: Recording) -> Iterator[Finding]:
    """Yield a finding if the execution did not end by itself.

    If the agent itself reports that the load failed, that is a finding about the system; if nobody is left to
    report it, the run was not measured.
    """
    if recording.outcome == "complete" and (not recording.truncated or recording.damage):
        return
    last = [error.whole for error in recording.errors[-1:]]
    if recording.outcome == "interrupted":
        yield finding("interrupted")
    elif recording.outcome == "failed":
        why = [Part(name="error", text=each) for each in last]
        yield finding("share-failed" if lost_of(recording) else "agent-failed", *why)
    elif recording.truncated:
        yield finding("cut-off")
    else:
        signal, code = recording.signal, recording.exit_code
        how = Part(name="signal", figure=signal) if signal else Part(name="exit_code", figure=code)
        why = [Part(name="error", text=each) for each in last or recording.stderr.strip().splitlines()[-1:]]
        yield finding("agent-died", how, *why)
