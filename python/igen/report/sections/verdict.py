"""The top of a report: the sentences to remember, their figures as cards, and how far to believe them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from igen.document import Block, Card, Panes, Paragraph, Phrase, Section, Words
from igen.judge.curve.observations import alike_loads
from igen.judge.result import Figure, Level, OverallRatio, Point, Ratio, Result, System, Verdict
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.usable import has_throughput, has_times
from igen.layout.level import (
    LoadAxis,
    colour_places,
    is_comparison,
    points,
    points_by_level,
    verdict_text,
)
from igen.layout.number import interval, ratio, time_ms
from igen.report.aspects import speaking_for
from igen.report.detail_tables import points_table
from igen.report.observation import all_notes
from igen.report.pair import headline_ratios, told
from igen.report.statement import banner, headline
from igen.report.subject import are_many
from igen.say import say
from igen.say.pair import answer_text, doubt
from igen.say.words import bound_text, estimate_text
from igen.text import Text
from igen.units import counted

VERDICTS: tuple[Verdict, ...] = ("VALID", "SUSPECT", "INVALID")
UNSTABLE = "unstable: the runs are too short for it, or the processors too busy"
MOST_CHIPS = 12
"""With more than this the card of the verdicts takes a line of its own."""


def verdict(result: Result) -> Section:
    """The verdict in sentences, what must not be read over, and the figures as cards."""
    warned = len(all_notes(result))
    link = Phrase(f"{counted(warned, 'warning')} below", link="#warnings")
    blocks: list[Block] = [*_sentences(result), Panes([[card] for card in _cards(result)])]
    if warned:
        blocks.append(Paragraph([link], "note"))
    return Section("verdict", "", blocks)


def verdict_on_terminal(result: Result) -> Section:
    """The sentences alone."""
    return Section("verdict", "", _sentences(result))


def named_points(result: Result) -> Section | None:
    """Peak, sweet spot and knee as a table."""
    table = points_table(result)
    return Section("points", "", [table]) if table else None


def _sentences(result: Result) -> list[Block]:
    said = banner(result)
    warning: list[Block] = [Paragraph(Text.of(*said, between="\n"), "banner")] if said else []
    return [*warning, *(Paragraph(sentence, "headline") for sentence in headline(result))]


def _point_card(system: System, label: str, point: Point, axis: LoadAxis) -> Card:
    rate = point.throughput_per_s
    return Card(
        label,
        estimate_text(rate),
        [
            f"{system.transaction}/s at {axis.name(point)}",
            _of(rate, _level(system, point).trust.disturbance.throughput),
            f"mean response time {time_ms(point.response_time_ms)}",
            *map(say, alike_loads(system, point)),
        ],
    )


def _pair_card(each: Ratio | OverallRatio, label: str, what: str) -> Card:
    """The figure only where it says something."""
    figure: Words = f"{ratio(each.ratio)} ×" if told(each) else [Phrase(each.answer, "muted")]
    answer = [answer_text(each)] if told(each) else []
    return Card(label, figure, [what, doubt(each), *answer])


def _cards(result: Result) -> list[Card]:
    axis = LoadAxis.of(result)
    cards = [
        _pair_card(each, f"{each.test}: {each.system} over {each.base}", each.title)
        for each in result.overall
    ]
    if not (result.overall or are_many(result)):
        cards += [
            _pair_card(
                each,
                f"{each.system} over {each.base}{f', {each.load}' if each.load else ''}",
                f"{each.quantity} at {axis.name(each)}",
            )
            for each in headline_ratios(result)
        ]
        cards += [card for system in result.systems for card in _points_of(result, system, axis)]
    return [*cards, _validity(result, axis)]


def _points_of(result: Result, system: System, axis: LoadAxis) -> list[Card]:
    if not is_comparison(result):
        if (
            len(system.levels) == 1
            and system.levels[0].trust.verdict != "INVALID"
            and not speaking_for(system)
        ):
            return _level_cards(system, system.levels[0], axis)
        return [
            _point_card(system, " · ".join(names), point, axis) for point, names in points_by_level(system)
        ]
    for name, point in points(system):
        if point is system.peak:
            return [_point_card(system, f"{name}, {system.name}", point, axis)]
        if point is system.within_limit:
            by_instances = replace(axis, by_instances=bool(system.scaling))
            return [_point_card(system, f"{name}, {system.name}", point, by_instances)]
    return []


def _level_cards(system: System, level: Level, axis: LoadAxis) -> list[Card]:
    """The figures of the only level; of several loads at once what each decides by, and its mean or p99."""
    if level.loads:
        return [
            replace(card, label=f"{name}, {card.label}")
            for name, part in level.loads.items()
            for card in (
                _level_cards(system, part, LoadAxis(by_rate="open" in part.load))[
                    slice(0, 2) if "closed" in part.load else slice(1, 3)
                ]
            )
        ]
    rate, times = level.throughput_per_s, level.response_time_ms
    cards = (
        [
            Card(
                "throughput",
                estimate_text(rate),
                [
                    f"{system.transaction}/s at {axis.name(level)}",
                    _of(rate, level.trust.disturbance.throughput),
                ],
            )
        ]
        if has_throughput(level)
        else []
    )
    if times is None or not has_times(level):
        return cards
    for label, value, estimate in (
        ("mean response time", times.mean, times.mean_interval),
        ("p99 response time", times.p99, times.p99_interval),
    ):
        unstable = UNSTABLE if times.p99_unstable and "p99" in label else ""
        ends = estimate and estimate.low is not None and estimate.high is not None
        known = (
            f"95 %: {time_ms(estimate.low)} to {time_ms(estimate.high)}"
            if estimate and ends
            else "no interval"
        )
        known += _machine(level.trust.disturbance.times)
        cards.append(Card(label, time_ms(value), [known, unstable]))
    return cards


def _of(rate: Figure, disturbed: Bound) -> str:
    """The interval, or from how few runs there is none, and the systematic error."""
    known = f"95 %: {interval(rate)}" if rate.low is not None else f"{counted(rate.n, 'run')}, no interval"
    return known + _machine(disturbed)


def _machine(disturbed: Bound) -> str:
    text = bound_text(disturbed)
    return f", machine {text}" if text else ""


def _level(system: System, point: Point) -> Level:
    return next(level for level in system.levels if level.level == point.level)


def _validity(result: Result, axis: LoadAxis) -> Card:
    """The loads in the colour of their verdict: a line for each system, or for each test."""
    many = are_many(result)
    by_test = groupby(result.systems, key=lambda system: system.test or ("" if many else system.name))
    lines = [_chips(result, list(systems), axis, many=many) for _, systems in by_test]
    used = Counter(level.trust.verdict for system in result.systems for level in system.levels)
    legend: list[str | Phrase] = []
    for verdict in VERDICTS:
        if used[verdict]:
            legend += [", " if legend else "", f"{used[verdict]} ", Phrase(verdict, "verdict")]
    return Card(f"validity by {axis.title}", "", [*lines, legend], wide=used.total() > MOST_CHIPS)


def _chips(result: Result, systems: Sequence[System], axis: LoadAxis, *, many: bool) -> Words:
    found: list[str | Phrase] = [Phrase(f"{systems[0].test} ", "strong")] if systems[0].test else []
    for system in systems:
        if is_comparison(result) and not many:
            found.append(Phrase("", colour=colour_places(result)[system.name]))
        for level in system.levels:
            tip = f"{system.name}, {axis.name(level)}: {verdict_text(level)}"
            found.append(Phrase(axis.short(level), level.trust.verdict, tip=tip))
    return found
