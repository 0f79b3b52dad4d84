"""Reasons that say the same of several runs or levels, folded to one line with the range of their figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

IDENTIFIER = re.compile(r"(?<![\w-])[a-z0-9]+(?:_[a-z0-9]+)+(?![\w-])")
"""The name of a kernel, an operation, a counter."""
MOST_NAMED = 4
"""More names than these are counted."""
NUMBER = re.compile(r"(?<![\w.-])-?\d[\d,]*(?:\.\d+)?(?![\w]|\.\d)")
RUNS = re.compile(r"; in (\d+) of (\d+) runs$")
AFTER = re.compile(r"\d to \+?$")
"""What stands before the end of a range: `-0.58 to +2.4 %`."""
REPEAT = re.compile(r"^repeat (\d+)(?: to \d+)? was ")
"""A reason of one repeat. Several are named one by one: of 2 to 5 the third may have none."""
DETAIL = re.compile(r"(?<=\)): ")
"""What follows names what was seen in one case alone: `others used 69 % (limit 5 %): rustc 47 %`."""


@dataclass(frozen=True, slots=True)
class Folded:
    """Reasons of rows as footnotes: each once, and for each row the numbers of its own, from 1."""

    notes: list[str]
    numbers: list[list[int]]

    def mark(self, row: int) -> str:
        """`[1, 3-5]`, or nothing for a row without reasons."""
        spans: list[list[int]] = []
        for number in self.numbers[row]:
            if spans and spans[-1][-1] == number - 1:
                spans[-1].append(number)
            else:
                spans.append([number])
        words = [f"{span[0]}-{span[-1]}" if len(span) > 2 else ", ".join(map(str, span)) for span in spans]
        return f"[{', '.join(words)}]" if words else ""

    def footnotes(self) -> list[str]:
        """`[1] others used 5.3 to 69 % of all processors`."""
        return [f"[{number}] {note}" for number, note in enumerate(self.notes, start=1)]


def fold(rows: Sequence[Sequence[str]]) -> Folded:
    """Folds reasons that differ in figures and identifiers alone, in the order in which they first occur."""
    places: dict[str, int] = {}
    alike: list[list[str]] = []
    numbers: list[list[int]] = []
    for texts in rows:
        numbers.append([])
        for text in texts:
            number = places.setdefault(_words(text), len(places) + 1)
            if number > len(alike):
                alike.append([])
            alike[number - 1].append(text)
            if number not in numbers[-1]:
                numbers[-1].append(number)
        numbers[-1].sort()
    return Folded([_merged(texts) for texts in alike], numbers)


def _words(text: str) -> str:
    """What two reasons must share to be the same: all but figures and details."""
    head = DETAIL.split(RUNS.sub("", text), maxsplit=1)[0]
    return NUMBER.sub("#", IDENTIFIER.sub("@", head))


def _merged(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    bare = [RUNS.sub("", text) for text in texts]
    heads = [DETAIL.split(text, maxsplit=1)[0] for text in bare]
    names = iter([_listed(each) for each in zip(*map(IDENTIFIER.findall, heads), strict=True)])
    figures = [NUMBER.findall(IDENTIFIER.sub("@", head)) for head in heads]
    shape = IDENTIFIER.sub("@", heads[0])
    ranges = iter(
        [
            _range(
                each,
                begins=shape[at.end() :].startswith(" to "),
                ends=bool(AFTER.search(shape[: at.start()])),
            )
            for at, each in zip(NUMBER.finditer(shape), zip(*figures, strict=True), strict=True)
        ]
    )
    merged = re.sub(NUMBER.pattern + "|@", lambda at: next(names if at[0] == "@" else ranges), shape)
    repeats = sorted({int(found[1]) for text in texts if (found := REPEAT.match(text))})
    if len(repeats) > 1:
        *first, last = map(str, repeats)
        merged = REPEAT.sub(f"repeats {', '.join(first)} and {last} were ", merged)
    # Details differ from case to case: those of the largest figure stand for all.
    worst = max(range(len(texts)), key=lambda place: [abs(_value(each)) for each in figures[place]])
    detail = bare[worst].removeprefix(heads[worst])
    return merged + detail + _runs(texts)


def _range(figures: Sequence[str], *, begins: bool, ends: bool) -> str:
    """`1.7 to 2.1`, or the figure that all share; of what `begins` or `ends` a range, the outermost one."""
    low, high = min(figures, key=_value), max(figures, key=_value)
    if begins != ends:
        return low if begins else high
    return low if _value(low) == _value(high) else f"{low} to {high}"


def _listed(names: Sequence[str]) -> str:
    """`add_avx2, add_sse2`, of many the first ones and how many more."""
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(distinct[:MOST_NAMED])
    return shown if len(distinct) <= MOST_NAMED else f"{shown} and {len(distinct) - MOST_NAMED} more"


def _value(figure: str) -> float:
    return float(figure.replace(",", ""))


def _runs(texts: Sequence[str]) -> str:
    """`; in 5 of 9 runs`, of all that tell."""
    told = [found for text in texts if (found := RUNS.search(text))]
    if not told:
        return ""
    return f"; in {sum(int(each[1]) for each in told)} of {sum(int(each[2]) for each in told)} runs"
