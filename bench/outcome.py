"""What a bench hands back: a table to read, and goals that are met or not."""

from __future__ import annotations

import json
import operator
import sys
from dataclasses import dataclass, field
from typing import Any

COMPARE = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}


@dataclass(frozen=True, slots=True)
class Goal:
    """A measured value and what it should be, such as `<= 0.8`."""

    value: float
    goal: str

    @property
    def met(self) -> bool:
        """Whether the value is as it should be."""
        comparison, limit = self.goal.split()
        return bool(COMPARE[comparison](self.value, float(limit)))


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    values: dict[str, str]


@dataclass(slots=True)
class Outcome:
    """A finished bench."""

    bench: str
    columns: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    goals: dict[str, Goal] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, **values: str) -> None:
        """Adds a line to the table, and shows it at once; the names of `values` are columns."""
        self.rows.append(Row(what, values))
        print(f"{self.bench}: {what}: {values}", file=sys.stderr)

    def markdown(self) -> str:
        """The table, the goals and the notes."""
        rows = [[row.what, *(row.values.get(name, "") for name in self.columns)] for row in self.rows]
        goals = [
            [name, number(goal.value), goal.goal, "yes" if goal.met else "NO"]
            for name, goal in self.goals.items()
        ]
        notes = "".join(f"- {note}\n" for note in self.notes)
        return (
            table(["measured", *(name.replace("_", " ") for name in self.columns)], rows)
            + "\n"
            + table(["goal", "value", "should be", "met"], goals)
            + (f"\n{notes}" if notes else "")
        )

    def json_line(self) -> str:
        """The goals as one line of JSON: the last line that a bench prints."""
        goals: dict[str, Any] = {
            name: {"value": float(number(goal.value)), "goal": goal.goal, "met": goal.met}
            for name, goal in self.goals.items()
        }
        return json.dumps({"bench": self.bench, "goals": goals})


def number(value: float) -> str:
    """Four significant digits, without exponent below a million."""
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
