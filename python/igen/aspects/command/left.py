"""Processes that executions of a program left behind: their work is in no figure."""

from __future__ import annotations

from collections.abc import Iterator

from igen.facts import COMMAND_LEAVING_EXECUTIONS, COMMAND_PROCESSES_LEFT, COMMAND_PROGRAMS_LEFT
from igen.judge.result import Finding, Part
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import finding


def processes_left(run: MeasuredRun) -> Iterator[Finding]:
    """Yield a finding if an execution of the job left a process behind, such as a daemon."""
    facts = run.recording.facts
    executions = facts.get(COMMAND_LEAVING_EXECUTIONS)
    if not executions:
        return
    yield finding(
        "processes-left",
        *(Part(name="program", text=name) for name in facts.get(COMMAND_PROGRAMS_LEFT, [])),
        executions=executions,
        processes=facts.get(COMMAND_PROCESSES_LEFT, executions),
    )
