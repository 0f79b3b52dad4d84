"""Findings of one rule as one sentence needs them: each figure, or its range over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from igen.judge.trust.finding import Finding, Part
from igen.units import counted, format_count, format_duration, format_number

MOST_NAMED = 4
"""More names than these are counted."""

Form = Callable[[float], str]


def two_digits(value: float) -> str:
    """Return a figure with two significant digits and without an exponent: `0.42`, `17`, `100`."""
    return f"{float(f'{value:.2g}'):g}"


def three_digits(value: float) -> str:
    """Return a figure with three significant digits, and without an exponent: `1,040`, `0.500`."""
    return format_number(value, 3)


class Group:
    """The findings of one rule that one sentence reports."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        """Keep the findings, of which there is at least one."""
        self.findings = findings

    @property
    def worst(self) -> Finding:
        """The finding with the largest figure; its details stand for all."""
        return max(self.findings, key=_size)

    @property
    def because(self) -> list[list[Finding]]:
        """What explains the findings, grouped as footnotes are."""
        return grouped([each for found in self.findings for each in found.because])

    def has(self, name: str) -> bool:
        """Return True if a finding has such a part."""
        return any(True for _ in self.parts(name))

    def parts(self, name: str) -> list[Part]:
        """Return the parts of that name, of all findings."""
        return [part for found in self.findings for part in found.parts if part.name == name]

    def number(self, name: str, form: str | Form = ",.0f", unit: str = "") -> str:
        """Return a figure with its unit, or the range of it: `5.3 to 69 %`."""
        return between([part.figure for part in self.parts(name) if part.figure is not None], form, unit)

    def numerals(self, name: str) -> list[str]:
        """Return the distinct figures of what has a number for a name, such as a repeat or a signal."""
        return [str(each) for each in sorted({round(part.figure or 0) for part in self.parts(name)})]

    def percent(self, name: str, form: str | Form = two_digits) -> str:
        """Return a figure in percent."""
        return self.number(name, form, " %")

    def duration(self, name: str) -> str:
        """Return a length of time."""
        return self.number(name, format_duration)

    def count(self, name: str, noun: str) -> str:
        """Return a number of things: `1 user`, `12 to 20 users`."""
        values = [part.figure for part in self.parts(name) if part.figure is not None]
        if max(values) == min(values):
            return counted(round(values[0]), noun)
        return f"{format_count(min(values))} to {counted(round(max(values)), noun)}"

    def texts(self, name: str) -> list[str]:
        """Return the distinct texts of the parts of that name."""
        return list(dict.fromkeys(part.text for part in self.parts(name) if part.text))

    def listed(self, name: str) -> str:
        """Return the distinct texts: `add_avx2, add_sse2 and 3 more`."""
        return _named(self.texts(name))

    def times(self, name: str) -> str:
        """Return the distinct moments: `4.000 s, 9.000 s`; a range of them would be a length of time."""
        return _named(f"{part.figure:.3f} s" for part in self.parts(name) if part.figure is not None)

    def limit(self, form: str = "g") -> str:
        """Return the limit of the rule: `(limit 5 %)`."""
        limits = [found.limit for found in self.findings if found.limit is not None]
        unit = " %" if self.findings[0].unit == "percent" else ""
        return f"(limit {between(limits, form, unit)})"

    def spans(self, name: str, form: Callable[[tuple[float, float | None]], str]) -> str:
        """Return the distinct spans of time: they are listed and never merged."""
        return _named(form(part.span) for part in self.parts(name) if part.span)


def _named(texts: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    more = f" and {len(distinct) - MOST_NAMED} more" if len(distinct) > MOST_NAMED else ""
    return f"{', '.join(distinct[:MOST_NAMED])}{more}"


def between(values: Sequence[float], form: str | Form, unit: str = "") -> str:
    """Return a figure, or the range of several: `1.7 to 2.1 %`."""
    low, high = (form(end) if callable(form) else format(end, form) for end in (min(values), max(values)))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def grouped(found: Sequence[Finding]) -> list[list[Finding]]:
    """Return the findings that one sentence can report, each group in the order of its first finding."""
    groups: dict[object, list[Finding]] = {}
    for each in found:
        groups.setdefault(kind(each), []).append(each)
    return list(groups.values())


def kind(found: Finding) -> object:
    """Return what two findings must share so that one sentence can report both."""
    names = tuple(name for name, _ in groupby(part.name for part in found.parts))
    words = tuple(part.text for part in found.parts if part.figure is None and not part.span)
    return found.rule, found.load, found.quantity, names, words, tuple(map(kind, found.because))


def _size(found: Finding) -> list[float]:
    return [abs(part.figure) for part in found.parts if part.figure is not None]
