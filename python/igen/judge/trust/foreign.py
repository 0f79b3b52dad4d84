"""Processor time of neither load nor target, and whose it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from igen.judge.record.target import Place, target_place
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import Finding, Part, finding
from igen.judge.trust.rules.machine import LEAST_NAMED_PERCENT, LEAST_REST_PERCENT, MOST_NAMED, TICK_S


@dataclass(frozen=True, slots=True)
class Foreign:
    """What others used of all processors, less what clock ticks leave open."""

    percent: float
    finding: Finding


def foreign_cpu(run: MeasuredRun) -> Foreign | None:
    """Return what others used; None if it is unknown.

    Threads of the kernel belong to a target on this machine: its files and connections work in them. If
    nobody follows a local server, only the processes that are surely not the server's are others.
    """
    percent = run.resources.foreign_cpu_percent
    if percent is None or run.measured_s <= 0:
        return None
    processors = max(run.host.processors, 1)
    found = run.host.processes()
    if run.recording.targets and target_place(run.recording) is not Place.REMOTE:
        kernel = [row for row in found if _is_of_kernel(row[0])]
        found = [row for row in found if row not in kernel]
        percent -= 100 * sum(busy for _, busy in kernel) / processors
    parts = []
    if has_unfollowed_server(run):
        found = [row for row in found if not run.host.is_hidden(row[0])]
        percent = min(percent, 100 * sum(busy for _, busy in found) / processors)
        parts.append(Part(name="server_unknown", figure=1))
    # One tick of each processor may belong to the time before.
    certain = percent - 100 * TICK_S.value / run.measured_s
    short = run.host.short_lived()
    named = _named([*found, *short], processors)
    named_percent = sum(used for _, used in named)
    if short and certain - named_percent >= LEAST_REST_PERCENT.value:
        # A process is known up to its last reading, and only while it is among the busiest.
        parts.append(Part(name="rest_percent", figure=percent - named_percent))
    programs = [Part(name="program_percent", figure=used, text=program) for program, used in named]
    return Foreign(max(certain, 0.0), finding("foreign-cpu", *programs, *parts, used_percent=percent))


def has_unfollowed_server(run: MeasuredRun) -> bool:
    """True if the target is a server on this machine whose processes are unknown."""
    drivers = run.host.drivers()
    is_followed = any(subject not in drivers for _, subject in run.host.followed())
    return target_place(run.recording) is Place.LOCAL and not is_followed


def _named(found: Sequence[tuple[str, float]], processors: int) -> list[tuple[str, float]]:
    """Return the busiest programs, each with its percentage of all processors."""
    by_program: dict[str, float] = {}
    for subject, busy in found:
        program = _program(subject)
        by_program[program] = by_program.get(program, 0.0) + 100 * busy / processors
    busiest = sorted(by_program.items(), key=lambda row: -row[1])[: MOST_NAMED.value]
    return [(program, percent) for program, percent in busiest if percent >= LEAST_NAMED_PERCENT.value]


def _program(subject: str) -> str:
    """The name in `17 postgres`."""
    return subject.partition(" ")[2] or subject


def _is_of_kernel(subject: str) -> bool:
    """True if this is a thread of the kernel, such as `17 [kworker/0:1]`."""
    return _program(subject).startswith("[")
