"""Progress on a terminal: finished runs as lines, levels as rows, and below them the running job."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from igen.cli.how_far import how_far
from igen.cli.numbers import execution_text, level_cells, look_text, replaced_text, waiting_text
from igen.judge.compare.decided import Look
from igen.judge.curve.load import own_name
from igen.judge.record.histogram import decode
from igen.judge.result import Finding, Level
from igen.store.run import Run
from igen.study.levels import PlannedLevel
from igen.study.observer import Observer
from igen.study.order import Execution
from igen.study.study import Study
from igen.study.time_left import TimeLeft
from igen.units import duration_text, format_count, format_rate, format_time_ms

_BAR_WIDTH = 24
_COLUMN_WIDTHS = (6, -28, 9, 9, 7, -8)
"""Widths of the columns of a level's row; negative for text that is aligned to the left."""
_REDRAW_S = 0.25
"""At most one picture in this time: drawing takes processor time from the load."""


class LiveProgress(Observer):
    """A live table, drawn only when an event arrives: no extra thread competes with the load."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._levels = self._repeats = 0
        self._time_left = TimeLeft()
        self._job = self._level = self._phase = self._figures = ""
        self._label_width = 0
        """Width of a level's name; 0 if only the load varies."""
        self._phase_start_s = 0.0
        self._phase_planned_s: float | None = None
        self._share: float | None = None
        self._drawn_s = 0.0
        self._header_shown = False

    def run_started(self, run: Run, study: Study, levels: list[PlannedLevel]) -> None:
        """Print the folder of the run."""
        self._console.print(f"run {run.id}", highlight=False)
        self._live.start()
        if study.systems or any(len(level.values) > 1 for level in levels):
            self._label_width = max(len(level.label) for level in levels)
        if not study.plan.finds_levels:
            self._levels = len(levels) + (study.plan.further_levels or 0)
        self._repeats = study.plan.known_repeats or 0
        self._time_left.plan(study, levels)

    def job_started(self, execution: Execution) -> None:
        """Names the job."""
        of_levels = f" of {self._levels}" if self._levels else ""
        # A repeat that others disturbed is replaced, beyond what was planned.
        of_repeats = f" of {self._repeats}" if execution.repeat < self._repeats else ""
        self._job = (
            f"{execution.purpose} · {execution.level.label} · level {execution.level.number + 1}{of_levels}"
            f" · repeat {execution.repeat + 1}{of_repeats}"
        )
        self._level = execution.level.label
        self._phase, self._figures, self._share = "start", "", None
        self._time_left.begin()
        self._drawn_s = 0.0
        self._draw()

    def waiting(self, machines: list[str]) -> None:
        """Show the machines that the run waits for, instead of figures."""
        self._figures = waiting_text(machines) if machines else ""
        self._drawn_s = 0.0
        self._draw()

    def event(self, event: dict[str, Any]) -> None:
        """Follows phases, intervals and progress."""
        match event:
            case {"phase": {"phase": phase, "at_s": at_s}}:
                self._time_left.enter(phase)
                self._phase, self._phase_start_s, self._figures = phase, at_s, ""
                self._phase_planned_s = event["phase"].get("planned_s")
                self._share = None
            case {"progress": progress}:
                done, total = progress["done"], progress["total"]
                self._share = done / total if total else None
                self._figures = how_far(progress)
            case {"snapshot": snapshot}:
                self._follow(snapshot)
            case _:
                return
        self._draw()

    def job_finished(self, execution: Execution, result: Level | None) -> None:
        """Print a dim line, and take its time off the remaining time."""
        self._console.print(execution_text(execution, result), style="dim", highlight=False)
        self._time_left.end(execution.level.duration_s)

    def kept(self, execution: Execution, result: Level | None) -> None:
        """Print a marked line; it takes no more time."""
        self._level = execution.level.label
        text = f"kept: {execution_text(execution, result)}"
        self._console.print(text, style="dim", highlight=False)
        self._time_left.skip(execution.level.duration_s)

    def replaced(self, execution: Execution, why: Finding) -> None:
        """A line of its own."""
        self.warning(replaced_text(execution, why))

    def looked(self, execution: Execution, look: Look) -> None:
        """Print a line that stays."""
        self._console.print(look_text(execution, look), style="dim", highlight=False)

    def level_finished(self, result: Level) -> None:
        """A row."""
        cells = level_cells(result)
        load = (
            ("users", str(result.users))
            if result.offered_per_s is None
            else ("rate", format_rate(result.offered_per_s))
        )
        if result.loads:
            load = ("load", own_name(result))
        if self._label_width:
            load = ("level".ljust(self._label_width), self._level.ljust(self._label_width))
        if not self._header_shown:
            self._console.print(_row([load[0], *(name for name, _ in cells)]), style="bold", highlight=False)
            self._header_shown = True
        self._console.print(_row([load[1], *(cell for _, cell in cells)]), highlight=False)

    def warning(self, text: str) -> None:
        """A line of its own."""
        self._console.print(Text(f"warning: {text}", style="yellow"))

    def close(self) -> None:
        """Leaves only the rows on the terminal."""
        self._live.stop()

    def _follow(self, snapshot: dict[str, Any]) -> None:
        transactions = snapshot["transactions"]
        rate = transactions["count"] / max(snapshot["end_s"] - snapshot["start_s"], 1e-9)
        times = transactions.get("response_time") or transactions["service_time"]
        p99_ns = decode(times["hdr"], times["sum_ns"]).quantiles_ns([0.99])[0]
        p99 = format_time_ms(p99_ns / 1e6) if transactions["count"] else "-"
        self._figures = f"{format_rate(rate)}/s  p99 {p99}  {format_count(transactions['failed'])} errors"
        if self._phase_planned_s:
            self._share = min((snapshot["end_s"] - self._phase_start_s) / self._phase_planned_s, 1.0)

    def _draw(self) -> None:
        now_s = time.monotonic()
        if now_s < self._drawn_s + _REDRAW_S:
            return
        self._drawn_s = now_s
        line = Table.grid(padding=(0, 2))
        for _ in range(3):
            line.add_column(no_wrap=True)
        known = self._share is not None
        bar = ProgressBar(total=1.0, completed=self._share or 0.0, width=_BAR_WIDTH) if known else Text()
        line.add_row(Text(self._phase.ljust(8)), bar, Text(self._figures))
        left_s = self._time_left.left_s
        left = "" if left_s is None else f" · about {duration_text(left_s)} left"
        job = Text.assemble(self._job, (left, "dim"))
        self._live.update(Group(job, line), refresh=True)


def _row(cells: list[str]) -> str:
    padded = [
        cell.ljust(-width) if width < 0 else cell.rjust(width)
        for cell, width in zip(cells, _COLUMN_WIDTHS, strict=True)
    ]
    return "  ".join(padded)
