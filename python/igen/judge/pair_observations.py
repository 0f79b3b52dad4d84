"""What the reader should know about two systems side by side: the answers of their ratios, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from igen.judge.effect import MOST_REPEATS
from igen.judge.interval import LEAST_RUNS
from igen.judge.load import side_name
from igen.judge.machine import machines_of
from igen.judge.points import is_highest_tried
from igen.judge.questions import THROUGHPUT
from igen.judge.result import Level, Observation, PeakRatio, Ratio, System
from igen.judge.wording import (
    assumed_noise,
    could_have_seen,
    holms_correction,
    load,
    order_of_pairs,
    ratio_with_interval,
)
from igen.units import counted, format_number


def pair_observations(
    base: System, system: System, ratios: Sequence[Ratio], peaks: PeakRatio | None
) -> list[Observation]:
    """Sentences about `system` against `base`, from the answers that stand in their ratios."""
    by_persona: dict[str, list[Ratio]] = {}
    for ratio in ratios:
        by_persona.setdefault(ratio.persona, []).append(ratio)
    found = [*_peaks(base, system, ratios, peaks)]
    for persona, of in by_persona.items():
        ours, theirs = (_of_persona(each, persona) for each in (system, base))
        found += [
            *_rates_held(theirs, ours, of),
            *_decided(theirs, ours, [ratio for ratio in of if ratio.decides]),
            *_times(theirs, ours, [r for r in of if not (r.decides or r.restates_throughput)]),
        ]
    return found


def _of_persona(system: System, persona: str) -> System:
    """The system under the name of one of the loads on it, as sentences have it: `A (clerks)`."""
    return replace(system, name=side_name(system.name, persona))


def _peaks(
    base: System, system: System, ratios: Sequence[Ratio], ratio: PeakRatio | None
) -> Iterator[Observation]:
    if ratio is None:
        return
    edges = {each.name: ", the highest load tried" for each in (system, base) if is_highest_tried(each)}
    at = ", ".join(
        f"{each.name} at {load(each, _level(each, number))}{edges.get(each.name, '')}"
        for each, number in ((system, ratio.level), (base, ratio.base_level))
    )
    size = ratio_with_interval(ratio.ratio)
    # What a system does beyond the loads tried is not known: the most of those is no peak.
    ours = f"The most of {system.name} at the loads tried" if edges else f"The peak of {system.name}"
    both, are = ("The most of both at the loads tried", "is") if edges else ("The peaks", "are")
    text = {
        "faster": f"{ours} is higher: {size} that of {base.name} ({at}).",
        "slower": f"{ours} is lower: {size} that of {base.name} ({at}).",
        "equivalent": f"{both} {are} equivalent within ±{ratio.margin_percent:g} %: {size} ({at}).",
        "cannot tell": f"{both} cannot be told apart: {size} ({at})",
    }[ratio.answer]
    if ratio.answer == "cannot tell":
        text += f"; {could_have_seen(ratio.visible_percent)}."
    evidence = f"{ratio.method} over {ratio.ratio.n} runs of both that did not choose these loads"
    yield Observation(
        text=text, evidence=f"{evidence}; {holms_correction(ratio.questions)}{_assumed(ratios)}"
    )


def _evidence(ratios: Sequence[Ratio]) -> str:
    first = ratios[0]
    order = f"; {told}" if (told := order_of_pairs(ratios)) else ""
    return f"{first.method} at each load{order}; {holms_correction(first.questions)}{_assumed(ratios)}"


def _assumed(ratios: Sequence[Ratio]) -> str:
    """What no measurement stands behind."""
    assumed = next((text for ratio in ratios if (text := assumed_noise(ratio))), "")
    return f"; {assumed}" if assumed else ""


def _rates_held(base: System, system: System, ratios: Sequence[Ratio]) -> Iterator[Observation]:
    """A rate that one side holds and the other does not is a difference, although no figure may be
    compared."""
    decided = [ratio for ratio in ratios if ratio.decides and ratio.ratio.n >= LEAST_RUNS]
    for holder, other in ((system, base), (base, system)):
        found = [
            ratio
            for ratio in decided
            if ratio.rate_holder == (ratio.base if holder is base else ratio.system)
        ]
        if found:
            at = _and([load(base, ratio) for ratio in found])
            text = f"{holder.name} holds the offered rate at {at}, {other.name} does not."
            yield Observation(
                text=text,
                evidence=(
                    "arrivals served by every run of the one and by no run of the other at "
                    f"{len(found)} of {counted(len(decided), 'load')}"
                ),
            )


def _decided(base: System, system: System, ratios: Sequence[Ratio]) -> Iterator[Observation]:
    """What each load decides by, the loads of each answer together."""
    tested = [ratio for ratio in ratios if ratio.p is not None]
    if not tested:
        return
    quantity = "" if tested[0].quantity == THROUGHPUT else f"{tested[0].quantity} "
    evidence = _evidence(tested)
    pair = f"{system.name} and {base.name}"

    def said(what: str, found: Sequence[Ratio], more: str = "") -> Observation:
        text = f"{what}{_at(found, tested)}: {quantity}{_range(base, found)}{more}."
        return Observation(text=text, evidence=evidence)

    for word in ("faster", "slower"):
        if found := _with(tested, word):
            yield said(f"{system.name} is {word} than {base.name}", found, _within_margin(found))
    if found := _with(tested, "equivalent"):
        yield said(f"{pair} are equivalent within ±{found[0].margin_percent:g} %", found)
    if found := _with(tested, "cannot tell"):
        yield said(f"{pair} cannot be told apart", found, f"; {_could_have_seen_at(base, system, found)}")


def _times(base: System, system: System, ratios: Sequence[Ratio]) -> Iterator[Observation]:
    """Times beside the quantity that decides, where they differ."""
    for quantity in dict.fromkeys(ratio.quantity for ratio in ratios):
        tested = [ratio for ratio in ratios if ratio.quantity == quantity and ratio.p is not None]
        for word, answer in (("shorter", "faster"), ("longer", "slower")):
            if found := _with(tested, answer):
                who = f"The {quantity} of {system.name} is {word} than that of {base.name}"
                text = f"{who}{_at(found, tested)}: {_range(base, found)}."
                yield Observation(text=text, evidence=_evidence(found))


def _with(ratios: Sequence[Ratio], answer: str) -> list[Ratio]:
    return [ratio for ratio in ratios if ratio.answer == answer]


def _range(base: System, ratios: Sequence[Ratio]) -> str:
    """`1.210 × (1.190 to 1.231) at 1 user`; of several the smallest and the largest."""
    if len(ratios) == 1:
        return f"{ratio_with_interval(ratios[0].ratio)} at {load(base, ratios[0])}"
    ends = [min(ratios, key=lambda r: r.ratio.value), max(ratios, key=lambda r: r.ratio.value)]
    return " to ".join(f"{format_number(r.ratio.value, 3)} × at {load(base, r)}" for r in ends)


def _within_margin(ratios: Sequence[Ratio]) -> str:
    """A difference that is none to speak of, whatever disturbed the machine."""
    margin = ratios[0].margin_percent
    return f", less than the ±{margin:g} % that matter" if all(map(_is_within_margin, ratios)) else ""


def _is_within_margin(ratio: Ratio) -> bool:
    low, high = ratio.ratio.low, ratio.ratio.high
    if low is None or high is None:
        return False
    most, disturbed = 1 + ratio.margin_percent / 100, 1 + ratio.disturbance_percent / 100
    return low / disturbed > 1 / most and high * disturbed < most


def _could_have_seen_at(base: System, system: System, ratios: Sequence[Ratio]) -> str:
    """What would have been seen at the load that is known least, and what would do there."""
    worst = max(
        ratios, key=lambda ratio: float("inf") if ratio.visible_percent is None else ratio.visible_percent
    )
    text = could_have_seen(worst.visible_percent)
    if worst.disturbance_percent >= worst.margin_percent:
        return f"{text}; the machine was disturbed by more than the ±{worst.margin_percent:g} % that matter"
    if worst.repeats_needed is None and worst.session_noise_percent is not None:
        would = ", `igen ab` would" if len(machines_of(base, system)) == 1 else ""
        return f"{text}; no number of repeats in one session shows {worst.margin_percent:g} %{would}"
    if worst.repeats_needed is None:
        return f"{text}; only more than {MOST_REPEATS:,} repeats would show {worst.margin_percent:g} %"
    return f"{text}; {counted(worst.repeats_needed, 'repeat')} would show {worst.margin_percent:g} %"


def _at(found: Sequence[Ratio], tested: Sequence[Ratio]) -> str:
    """` at 3 of 4 loads`; nothing where there is one load."""
    return f" at {len(found)} of {len(tested)} loads" if len(tested) > 1 else ""


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _level(system: System, number: int) -> Level:
    return next(level for level in system.levels if level.level == number)
