"""The top of the page: what was measured, the verdict, the figures to remember, the observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from igen.analysis.result import Observation, OverallRatio, Point, Ratio, Result, System
from igen.report.html.element import Html, join, tag
from igen.report.html.table import verdict_word
from igen.report.level import LoadAxis, colour_places, counts, is_comparison
from igen.report.number import interval, ratio, ratio_interval, time_ms
from igen.report.palette import VERDICT_COLOURS, system_colour
from igen.report.sentence import (
    all_warnings,
    are_many,
    bottleneck,
    estimate_text,
    headline,
    headline_ratios,
    observations,
    points_by_level,
    what_ran,
)

MOST_CHIPS = 12
"""With more than this the card of the verdicts takes a line of its own."""


def swatch(result: Result, system: System) -> Html:
    """The system's colour in the charts as a small square; nothing when there is one system only."""
    if not is_comparison(result):
        return Html("")
    place = colour_places(result)[system.name]
    return tag("span", class_="swatch", style=f"background:{system_colour(place)}")


def header(result: Result) -> Html:
    """Title, and one line for each system that says what ran against what, and when."""
    lines = []
    for system, name, facts in what_ran(result):
        square = Html("") if are_many(result) else swatch(result, system)
        lines.append(tag("p", square, tag("strong", name), " · ", " · ".join(facts), class_="meta"))
    return tag("header", tag("h1", result.title), *lines)


def _card(label: str, value: str, *details: str, wide: bool = False) -> Html:
    return tag(
        "div",
        tag("div", label, class_="label"),
        value if isinstance(value, Html) else tag("div", value, class_="value"),
        *(tag("div", detail, class_="detail") for detail in details if detail),
        class_="card wide" if wide else "card",
    )


def _point_card(system: System, label: str, point: Point, axis: LoadAxis) -> Html:
    rate = point.throughput_per_s
    return _card(
        label,
        estimate_text(rate),
        f"{system.transaction}/s at {axis.name(point)}",
        f"95 %: {interval(rate)}" if rate.low is not None else f"{counts(rate.n, 'run')}, no interval",
        f"response time {time_ms(point.response_time_ms)}",
    )


def _ratio_card(each: Ratio, axis: LoadAxis) -> Html:
    return _card(
        f"{each.system} over {each.base}",
        f"{ratio(each.throughput)} ×",
        f"throughput at {axis.name(each)}",
        f"95 %: {ratio_interval(each.throughput)}" if each.throughput.low is not None else "no interval",
        "cannot be told apart" if each.verdict == "~" else each.verdict,
    )


def _overall_card(each: OverallRatio) -> Html:
    return _card(
        f"{each.test}: {each.system} over {each.base}",
        f"{ratio(each.throughput)} ×",
        each.title,
        f"95 %: {ratio_interval(each.throughput)}" if each.throughput.low is not None else "no interval",
        "cannot be told apart" if each.verdict == "~" else each.verdict,
    )


def _chips(system: System, axis: LoadAxis) -> list[Html]:
    """The loads of a system, each in the colour of its verdict."""
    return [
        tag(
            "span",
            axis.short(level),
            class_="chip",
            style=f"background:{VERDICT_COLOURS[level.verdict]}",
            title=f"{system.name}, {axis.name(level)}: {level.verdict}",
        )
        for level in system.levels
    ]


def _swatches_and_chips(result: Result, systems: Sequence[System], axis: LoadAxis) -> list[Html]:
    if are_many(result):
        return [chip for system in systems for chip in _chips(system, axis)]
    return [piece for system in systems for piece in (swatch(result, system), *_chips(system, axis))]


def _validity_card(result: Result, axis: LoadAxis) -> Html:
    # One line for each system, or for each test with the systems side by side; many systems without tests
    # are told apart by what is shown where one points.
    many = are_many(result)
    by_test = groupby(result.systems, key=lambda system: system.test or ("" if many else system.name))
    lines = [
        tag("div", tag("b", systems[0].test), *_swatches_and_chips(result, systems, axis), class_="chips")
        for systems in (list(group) for _, group in by_test)
    ]
    used = {level.verdict for system in result.systems for level in system.levels}
    legend = [join(verdict_word(word), " ") for word in VERDICT_COLOURS if word in used]
    chips = sum(len(system.levels) for system in result.systems)
    return _card(f"validity by {axis.title}", join(*lines), join(*legend), wide=chips > MOST_CHIPS)


def verdict(result: Result) -> Html:
    """Section 1: the verdict in sentences, and its figures as cards."""
    axis = LoadAxis.of(result)
    cards = [_overall_card(each) for each in result.overall]
    single = not (result.overall or are_many(result))
    cards += [_ratio_card(each, axis) for each in headline_ratios(result)] if single else []
    for system in result.systems if single else []:
        if not is_comparison(result):
            found = points_by_level(system)
            cards += [_point_card(system, " · ".join(names), point, axis) for point, names in found]
        elif system.peak is not None:
            cards.append(_point_card(system, f"peak, {system.name}", system.peak, axis))
        elif system.within_limit is not None:
            by_instances = replace(axis, by_instances=bool(system.scaling))
            cards.append(
                _point_card(system, f"within limit, {system.name}", system.within_limit, by_instances)
            )
    cards.append(_validity_card(result, axis))
    warned = len(all_warnings(result))
    link = tag("a", f"{counts(warned, 'warning')} below", href="#warnings")
    return tag(
        "section",
        *(tag("p", sentence, class_="headline") for sentence in headline(result)),
        tag("div", *cards, class_="cards"),
        tag("p", link, class_="note") if warned else Html(""),
        id="verdict",
    )


def _sentences(found: list[Observation]) -> Html:
    items = [tag("li", each.text, " ", tag("span", each.evidence, class_="evidence")) for each in found]
    return tag("ul", *items, class_="observations")


def observations_section(result: Result) -> Html:
    """Section 2: what the figures say, each with its evidence."""
    found = observations(result)
    if not found:
        return Html("")
    return tag("section", tag("h2", "Observations"), _sentences(found), id="observations")


def bottleneck_section(result: Result) -> Html:
    """Section 6: what limits the system, where the analysis could tell."""
    found = bottleneck(result)
    if not found:
        return Html("")
    return tag("section", tag("h2", "Bottleneck"), _sentences(found), id="bottleneck")
