"""All answers of a plan: ranges by drawing from what is not exactly known, and which input matters most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from igen.datacenter.answers import (
    Facts,
    Missing,
    Question,
    facts_of,
    need,
    questions,
)
from igen.datacenter.capacity import Capacity, capacity
from igen.datacenter.estate import Capacities, by_system, per_rack, units_of_one
from igen.datacenter.estimated import Answer, EstateEstimate, Estimated, Filling, Ratio, Swing, Tornado
from igen.datacenter.number import Number, monte_carlo, one_at_a_time
from igen.datacenter.plan import Option, Plan
from igen.datacenter.power import power_words
from igen.datacenter.source import Input
from igen.errors import InputError

TORNADO = ("cost", "kwh_per_year", "kw", "racks", "systems")
"""What a tornado chart is about: the first that can be told."""
MOST_BARS = 10


def estimate(plan: Plan) -> Estimated:
    """Every answer of every estate. Raises `InputError` where no estate meets a demand."""
    capacities, failures = capacities_of(plan)
    draw = monte_carlo()
    asked = questions(plan)
    estates, found = [], {}
    for option in plan.estates:
        if option.name in failures:
            continue
        facts = facts_of(plan, option, capacities, draw)
        numbers = numbers_of(asked, facts)
        found[option.name] = numbers
        estates.append(_estate(plan, option, facts, asked, numbers, all_inputs(plan, capacities)))
    _check(plan, estates, failures)
    inputs = all_inputs(plan, capacities)
    return Estimated(
        title=plan.title,
        file=plan.file,
        currency=plan.currency,
        estates=estates,
        cannot=failures,
        ratios=ratios(found),
        guesses=[of.name for of in inputs if of.is_guess],
        unknown=list(plan.unknown),
        inputs=inputs,
    )


def capacities_of(plan: Plan) -> tuple[Capacities, dict[str, str]]:
    """By system and demand; and why an estate cannot serve at all."""
    found: dict[tuple[str, str], Capacity] = {}
    failures: dict[str, str] = {}
    for option in plan.estates:
        pairs = [(name, demand) for demand in plan.demands for name in option.counts] or [
            (option.systems[demand.name], demand) for demand in plan.demands
        ]
        for name, demand in pairs:
            able = capacity(plan.systems[name], demand)
            if isinstance(able, str):
                failures[option.name] = able
            else:
                found[name, demand.name] = able
    return found, failures


def all_inputs(plan: Plan, capacities: Capacities) -> list[Input]:
    """Those of the file, and what was read off the curves: the capacity stands for its curve."""
    read = [of for able in capacities.values() for of in (able.peak_per_s, able.per_s)]
    found: dict[str, Input] = {}
    for of in [*plan.inputs, *read]:
        before = found.get(of.name)
        # A curve may be read inside of what was measured for one demand, and outside for another.
        found[of.name] = replace(of, outside=of.outside or (before is not None and before.outside))
    return [*found.values()]


def numbers_of(asked: Sequence[Question], facts: Facts) -> dict[str, Number | str]:
    """Each answer, or the name of what it lacks."""
    found: dict[str, Number | str] = {}
    for question in asked:
        try:
            number = question.find(facts)
        except Missing as missing:
            found[question.key] = str(missing)
            continue
        is_finite = np.isfinite(number.value) and np.all(np.isfinite(number.draws))
        found[question.key] = number if is_finite else "a number that is not 0"
    return found


def _estate(
    plan: Plan,
    option: Option,
    facts: Facts,
    asked: Sequence[Question],
    numbers: dict[str, Number | str],
    inputs: Sequence[Input],
) -> EstateEstimate:
    named = {of.name: of for of in inputs}
    answers = [answer_of(question, numbers[question.key], named) for question in asked]
    limits, fit = _limits(plan, facts)
    return EstateEstimate(
        name=option.name,
        fits=fit,
        short_in_year=_short_in_year(facts),
        limits=limits,
        answers=answers,
        tornado=_tornado(plan, option, facts.capacities, asked, numbers, inputs),
        racks=[
            Filling(
                system=system.name,
                count=round(count.value),
                per_rack=max(1, round(per_rack(plan, system, facts.draw)[0].value)),
                rack_units=units_of_one(system, facts.draw).value,
            )
            for system, count in by_system(facts.now)
        ],
    )


def answer_of(question: Question, number: Number | str, inputs: dict[str, Input]) -> Answer:
    """With its range and the guesses behind it."""
    if isinstance(number, str):
        return Answer(key=question.key, title=question.title, value=None, guesses=[], missing=number)
    low, high = number.interval()
    behind = [inputs[name] for name in sorted(number.inputs) if name in inputs]
    return Answer(
        key=question.key,
        title=question.title,
        value=number.value,
        low=low,
        high=high,
        guesses=[of.name for of in behind if of.is_guess],
        outside=any(of.outside for of in behind),
    )


def _limits(plan: Plan, facts: Facts) -> tuple[list[str], bool]:
    """What limits an estate, and whether it fits into the room."""
    said, fit = [], True
    for group in facts.now:
        able = group.able
        many, what = per_rack(plan, group.system, facts.draw)
        if many.value < 1:
            fit = False
            too_much = "draws more than a rack may" if what == "power" else "is higher than a rack"
            said.append(f"One {group.system.name} {too_much}.")
            continue
        said.append(
            f"Each {group.system.name} is limited by {able.limited_by}: {able.per_s.value:,.4g} "
            f"{group.system.curve.transaction}/s at {1e3 * able.response_s:,.3g} ms; a rack holds "
            f"{many.value:,.0f} of them, by {what}; its power: {power_words(group.system)}."
        )
        if facts.option.counts and group.per_s.value > group.count.value * able.per_s.value:
            fit = False
            said.append(
                f"What is asked of {group.system.name}, {group.per_s.value:,.4g}/s, is more than all "
                f"of them do within the limit, {group.count.value * able.per_s.value:,.4g}/s."
            )
    for name, words in (("racks", "racks"), ("kw", "kW"), ("cooling_kw", "kW of cooling")):
        if getattr(plan.room, name) is None:
            continue
        try:
            needed = need(facts, facts.now, name)
        except Missing as missing:
            said.append(f"Whether the room has enough {words} is not told, for lack of `{missing}`.")
            continue
        has = facts.draw(getattr(plan.room, name))
        if needed.value > has.value * (1 + 1e-12):
            fit = False
            said.append(f"It takes {needed.value:,.4g} {words}, and the room has {has.value:,.4g}.")
    return said, fit


def _short_in_year(facts: Facts) -> int | None:
    """The first year in which what stands there does less than what is asked within the limit."""
    if not facts.option.counts:
        return None
    for year, groups in enumerate(facts.years, start=1):
        for group in groups:
            if group.per_s.value > group.count.value * group.able.per_s.value:
                return year
    return None


def _tornado(
    plan: Plan,
    option: Option,
    capacities: Capacities,
    asked: Sequence[Question],
    numbers: dict[str, Number | str],
    inputs: Sequence[Input],
) -> Tornado | None:
    key = next(key for key in TORNADO if not isinstance(numbers[key], str))
    number, question = numbers[key], next(each for each in asked if each.key == key)
    assert isinstance(number, Number)
    moving = [of for of in inputs if of.is_range and of.name in number.inputs]
    if not moving:
        return None
    ends = question.find(facts_of(plan, option, capacities, one_at_a_time(moving)))
    pairs = np.broadcast_to(ends.draws, (2 * len(moving),)).reshape(-1, 2)
    swings = [
        Swing(
            input=of.name,
            source=of.source.text,
            is_guess=of.is_guess,
            low=float(low),
            high=float(high),
        )
        for of, (low, high) in zip(moving, pairs, strict=True)
    ]
    swings.sort(key=lambda swing: abs(swing.high - swing.low), reverse=True)
    return Tornado(
        option=option.name, key=key, title=question.title, value=number.value, swings=swings[:MOST_BARS]
    )


def ratios(found: dict[str, dict[str, Number | str]]) -> list[Ratio]:
    """Each estate over the first one, and over each option before it, draw by draw."""
    names = [*found]
    pairs = [(of, base) for place, of in enumerate(names) for base in names[:place]]
    return [
        ratio
        for of, base in pairs
        for key, number in found[of].items()
        if (ratio := ratio_of(key, of, number, base, found[base][key])) is not None
    ]


def ratio_of(key: str, of: str, number: Number | str, base: str, other: Number | str) -> Ratio | None:
    """One over the other; None where one is missing or 0."""
    if isinstance(number, str) or isinstance(other, str) or not other.value or not np.all(other.draws):
        return None
    quotient = number / other
    low, high = quotient.interval()
    return Ratio(
        key=key, of=of, base=base, value=quotient.value, low=low, high=high, told=not low <= 1.0 <= high
    )


def _check(plan: Plan, estates: Sequence[EstateEstimate], failures: dict[str, str]) -> None:
    """Raises `InputError` where nothing serves the demand."""
    if any(estate.fits for estate in estates):
        return
    demand = plan.demands[0]
    where = f"{plan.file}:{demand.line}" if demand.line else plan.file
    why = [*failures.values(), *(estate.limits[-1] for estate in reversed(estates))]
    text = f"the demand is beyond every option: {why[0].rstrip('.')}"
    raise InputError(text, where=where, hint="add racks or kilowatts to [room], or another option")
