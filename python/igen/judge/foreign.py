"""Processor time of neither load nor target, and whose it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from igen.judge import limits
from igen.judge.measured import MeasuredRun
from igen.judge.target import Place, target_place

LEAST_NAMED_PERCENT = 0.5
MOST_NAMED = 3
LEAST_REST_PERCENT = 2.0
"""Less than this beyond the named programs is not worth a word."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """What others used of all processors, less what clock ticks leave open."""

    percent: float
    text: str


def foreign_cpu(run: MeasuredRun) -> Foreign | None:
    """None where it was not told.

    Threads of the kernel belong to a target on this machine: its files and connections work in them.
    Of a local server that nobody follows the busiest other program is taken for the server.
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
    note = ""
    if server := unfollowed_server(run):
        of_server = [row for row in found if _program(row[0]) == server]
        found = [row for row in found if row not in of_server]
        percent -= 100 * sum(busy for _, busy in of_server) / processors
        note = f"; nobody follows the server's processes: {server} is taken for it"
    # One tick of each processor may belong to the time before.
    certain = percent - 100 * limits.TICK_S / run.measured_s
    short = run.host.short_lived()
    named = _named([*found, *short], processors)
    named_percent = sum(used for _, used in named)
    if short and certain - named_percent >= LEAST_REST_PERCENT:
        # A process is known up to its last reading, and only while it is among the busiest.
        rest = f"the rest, {percent - named_percent:.1f} %, is of processes"
        note += f"; {rest} that ended in between or are not among the busiest"
    names = ", ".join(f"{program} {used:.1f} %" for program, used in named)
    text = f"others used {percent:.1f} % of all processors{': ' if names else ''}{names}{note}"
    return Foreign(max(certain, 0.0), text)


def unfollowed_server(run: MeasuredRun) -> str | None:
    """The busiest other program, where the target is a server on this machine whose processes are unknown."""
    drivers = run.host.drivers()
    followed = [subject for _, subject in run.host.followed() if subject not in drivers]
    if target_place(run.recording) is not Place.LOCAL or followed:
        return None
    by_program: Counter[str] = Counter()
    for subject, busy in run.host.processes():
        by_program[_program(subject)] += busy  # type: ignore[assignment]
    return by_program.most_common(1)[0][0] if by_program else None


def _named(found: Sequence[tuple[str, float]], processors: int) -> list[tuple[str, float]]:
    """The busiest programs, each with its percentage of all processors."""
    busiest = sorted(found, key=lambda row: -row[1])[:MOST_NAMED]
    shares = [(_program(subject), 100 * busy / processors) for subject, busy in busiest]
    return [(program, percent) for program, percent in shares if percent >= LEAST_NAMED_PERCENT]


def _program(subject: str) -> str:
    """The name in `17 postgres`."""
    return subject.partition(" ")[2] or subject


def _is_of_kernel(subject: str) -> bool:
    """Whether `17 [kworker/0:1]` is a thread of the kernel."""
    return _program(subject).startswith("[")
