"""Text of a Prometheus exporter, as samples: of the format what exporters of machines write.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/ (text, version 0.0.4). What is a line of
another form is counted and left out.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field

from igen.monitors.said import MOST

_LINE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t]*")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)')
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", '"': '"', "\\": "\\"}

LONGEST_LINE = 1 << 14
"""Characters; a longer line is none of an exporter's, and is not looked into."""

Labels = dict[str, str]


@dataclass(slots=True)
class Samples:
    """Values by name, each with its labels."""

    by_name: dict[str, list[tuple[Labels, float]]] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    """Names of those whose value is no number or beyond all bounds, whose labels nobody can read, or whose
    line is too long."""

    def of(self, name: str, **labels: str) -> list[tuple[Labels, float]]:
        """Those of a name that have these labels."""
        return [
            (its, value)
            for its, value in self.by_name.get(name, [])
            if all(its.get(label) == wanted for label, wanted in labels.items())
        ]

    def one(self, name: str, **labels: str) -> float | None:
        """The value of a name that has one; None where there is none."""
        found = self.of(name, **labels)
        return found[0][1] if found else None


def samples_of(text: str, wanted: Container[str]) -> Samples:
    """The samples with `wanted` names; others are passed over."""
    found = Samples()
    for line in text.split("\n"):
        name = line[: _end_of_name(line)]
        if name not in wanted:
            continue
        match = _LINE.fullmatch(line.rstrip("\r")) if len(line) <= LONGEST_LINE else None
        labels = _labels(match[2] or "") if match else None
        value = _number(match[3]) if match else None
        if labels is None or value is None:
            found.odd.append(name)
        else:
            found.by_name.setdefault(name, []).append((labels, value))
    return found


def _end_of_name(line: str) -> int:
    ends = [place for place in (line.find("{"), line.find(" "), line.find("\t")) if place >= 0]
    return min(ends, default=len(line))


def _labels(text: str) -> Labels | None:
    """None where they are not labels, or hold what cannot be printed."""
    labels: Labels = {}
    place = 0
    while place < len(text):
        match = _LABEL.match(text, place)
        if match is None:
            return None
        value = _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[0]), match[2])
        if not value.isprintable():
            return None
        labels[match[1]] = value
        place = match.end()
    return labels


def _number(text: str) -> float | None:
    """None of what is no number, of NaN, and of one that no machine counts up to."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= MOST and "_" not in text else None
