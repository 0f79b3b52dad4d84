"""Was the machine the load's own, and did the execution end by itself? What disturbed it has a price."""

from __future__ import annotations

from collections.abc import Iterator

from igen.judge import limits
from igen.judge.limits import Finding
from igen.judge.measured import MeasuredRun
from igen.judge.recording import Recording
from igen.judge.target import Place, target_place


def driver_cpu(run: MeasuredRun) -> Iterator[Finding]:
    """The driver was short of processors; where the work is done in its own process that is the load."""
    percent = run.resources.driver_cpu_percent
    if percent is None or target_place(run.recording) is Place.IN_PROCESS:
        return
    if percent > limits.DRIVER_CPU_PERCENT:
        limit = f"(limit {limits.DRIVER_CPU_PERCENT:g} %)"
        text = f"the load process used {percent:.0f} % of all processors {limit}"
        yield Finding("SUSPECT", "driver CPU", text)


def company(run: MeasuredRun) -> Iterator[Finding]:
    """What the fleet says about company."""
    others = run.recording.facts.get("environment.concurrent_runs")
    if isinstance(others, int) and others > 0:
        text = f"{others} other run{'s were' if others > 1 else ' was'} active on this machine"
        yield Finding("SUSPECT", "concurrent runs", text)


def fault(recording: Recording) -> Iterator[Finding]:
    """The execution did not end by itself."""
    text = recording.fault()
    if text is not None:
        failed = recording.outcome != "interrupted"
        yield Finding("INVALID", "fault", text, spoils_level=failed, load_failed=failed)
