"""What the reader should know about two systems side by side: the answers of their ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from igen.judge.compare.machine import machines_of
from igen.judge.curve.load import side_name
from igen.judge.curve.named import load_of, named
from igen.judge.curve.points import is_highest_tried
from igen.judge.result import Answer, Finding, Level, Part, PeakRatio, Ratio, System
from igen.judge.trust.finding import figure, finding, parts_of
from igen.judge.trust.rules.comparison import MOST_REPEATS
from igen.judge.trust.rules.statistics import LEAST_RUNS

RULES_OF_ANSWERS: dict[Answer, str] = {
    "faster": "faster",
    "slower": "slower",
    "equivalent": "equivalent",
    "cannot tell": "cannot-tell-apart",
}
RULES_OF_PEAKS: dict[Answer, str] = {
    "faster": "peak-higher",
    "slower": "peak-lower",
    "equivalent": "peaks-equivalent",
    "cannot tell": "cannot-tell-peaks-apart",
}


def pair_observations(
    base: System, system: System, ratios: Sequence[Ratio], peaks: PeakRatio | None
) -> list[Finding]:
    """Return what the answers of their ratios say of `system` against `base`."""
    by_load: dict[str, list[Ratio]] = {}
    for ratio in ratios:
        by_load.setdefault(ratio.load, []).append(ratio)
    found = [] if peaks is None else [_peaks(base, system, ratios, peaks)]
    for load, of in by_load.items():
        ours, theirs = (_under(each, load) for each in (system, base))
        found += [
            *_rates_held(theirs, ours, of),
            *_decided(theirs, ours, [ratio for ratio in of if ratio.decides]),
            *_times(theirs, ours, [r for r in of if not (r.decides or r.restates_throughput)]),
        ]
    return [replace(each, scope="comparison") for each in found]


def _under(system: System, load: str) -> System:
    """Return the system under the name of one of the loads on it: `A (clerks)`."""
    return replace(system, name=side_name(system.name, load))


def _peaks(base: System, system: System, ratios: Sequence[Ratio], ratio: PeakRatio) -> Finding:
    highest = [each for each in (system, base) if is_highest_tried(each)]
    return finding(
        RULES_OF_PEAKS[ratio.answer],
        named(system),
        named(base, "base"),
        load_of(system, _level(system, ratio.level), "system_load"),
        load_of(base, _level(base, ratio.base_level), "base_load"),
        # What a system does beyond the loads tried is not known: the most of those is no peak.
        *(named(each, "at_highest_load") for each in highest),
        figure("ratio", ratio.ratio),
        Part(name="test", text=ratio.method),
        *_visible(ratio),
        because=assumed_noise(ratios),
        runs=ratio.ratio.n,
        margin_percent=ratio.margin_percent,
        questions=ratio.questions,
    )


def _visible(ratio: Ratio | PeakRatio) -> list[Part]:
    visible = ratio.visible_percent
    return [] if visible is None else [Part(name="visible_percent", figure=visible)]


def assumed_noise(ratios: Sequence[Ratio]) -> list[Finding]:
    """Return the noise that no measurement stands behind."""
    assumed = next((ratio for ratio in ratios if ratio.session_noise_is_assumed), None)
    if assumed is None or assumed.session_noise_percent is None:
        return []
    return [finding("session-noise-assumed", noise_percent=assumed.session_noise_percent)]


def _evidence(ratios: Sequence[Ratio]) -> list[Finding]:
    """Return what stands behind the answers: the test, the order of the pairs, the correction."""
    first = ratios[0]
    test = finding("tested", Part(name="test", text=first.method))
    corrected = finding("corrected", questions=first.questions)
    return [test, *order_of_pairs(ratios), corrected, *assumed_noise(ratios)]


def order_of_pairs(ratios: Sequence[Ratio]) -> Iterator[Finding]:
    """Yield which system went first in the pairs of several loads, and what going first cost; nothing if the
    order is unknown."""
    orders = [ratio.order for ratio in ratios if ratio.order]
    if not orders:
        return
    sign = -1 if ratios[0].quantity == "throughput" else 1
    known = [order.first_over_second for order in orders if order.first_over_second]
    costs = sorted(100 * sign * (estimate.value - 1) for estimate in known)
    cost = {"least_cost_percent": costs[0], "most_cost_percent": costs[-1]} if costs else {}
    yield finding(
        "order-of-pairs",
        *parts_of(cost),
        system=ratios[0].system,
        first=sum(order.system_first for order in orders),
        pairs=sum(order.pairs for order in orders),
    )


def _rates_held(base: System, system: System, ratios: Sequence[Ratio]) -> Iterator[Finding]:
    """Yield a rate that one side holds and the other does not: a difference, although no figure may be
    compared."""
    decided = [ratio for ratio in ratios if ratio.decides and ratio.ratio.n >= LEAST_RUNS.value]
    for holder, other in ((system, base), (base, system)):
        found = [
            ratio
            for ratio in decided
            if ratio.rate_holder == (ratio.base if holder is base else ratio.system)
        ]
        if found:
            yield finding(
                "holds-rate",
                named(holder),
                named(other, "base"),
                *(load_of(base, ratio) for ratio in found),
                loads_compared=len(decided),
            )


def _decided(base: System, system: System, ratios: Sequence[Ratio]) -> Iterator[Finding]:
    """Yield what each load decides by, the loads of each answer together."""
    tested = [ratio for ratio in ratios if ratio.p is not None]
    for answer, rule in RULES_OF_ANSWERS.items():
        if found := [ratio for ratio in tested if ratio.answer == answer]:
            within = answer in ("faster", "slower") and all(map(_is_within_margin, found))
            because = [finding("within-margin", margin_percent=found[0].margin_percent)] if within else []
            if answer == "cannot tell":
                because = [_could_have_seen(base, system, found)]
            yield _answer(rule, base, system, found, tested, [*because, *_evidence(tested)])


def _times(base: System, system: System, ratios: Sequence[Ratio]) -> Iterator[Finding]:
    """Yield times beside the quantity that decides, if they differ."""
    for quantity in dict.fromkeys(ratio.quantity for ratio in ratios):
        tested = [ratio for ratio in ratios if ratio.quantity == quantity and ratio.p is not None]
        for rule, answer in (("times-shorter", "faster"), ("times-longer", "slower")):
            if found := [ratio for ratio in tested if ratio.answer == answer]:
                yield _answer(rule, base, system, found, tested, _evidence(found))


def _answer(
    rule: str,
    base: System,
    system: System,
    found: Sequence[Ratio],
    tested: Sequence[Ratio],
    because: Sequence[Finding],
) -> Finding:
    """Return an answer with the ratio of its load; of several loads the smallest and the largest."""
    ends = sorted(found, key=lambda each: each.ratio.value)
    shown = ends if len(ends) == 1 else [ends[0], ends[-1]]
    return finding(
        rule,
        named(system),
        named(base, "base"),
        Part(name="quantity", text=found[0].quantity),
        *(figure("ratio", each.ratio, load_of(base, each).text) for each in shown),
        because=because,
        loads=len(found),
        loads_compared=len(tested),
        margin_percent=found[0].margin_percent,
    )


def _is_within_margin(ratio: Ratio) -> bool:
    """Return True if a difference does not matter, whatever disturbed the machine."""
    most = 1 + ratio.margin_percent / 100
    return ratio.ratio.against(1 / most, most) == "within"


def _could_have_seen(base: System, system: System, ratios: Sequence[Ratio]) -> Finding:
    """Return what would have been seen at the load that is known least, and what would decide there."""
    worst = max(
        ratios, key=lambda ratio: float("inf") if ratio.visible_percent is None else ratio.visible_percent
    )
    margin = {"margin_percent": worst.margin_percent}
    if worst.disturbance_percent >= worst.margin_percent:
        decides = finding("disturbed-beyond-margin", *parts_of(margin))
    elif worst.repeats_needed is not None:
        decides = finding("repeats-would-show", *parts_of({"repeats": worst.repeats_needed, **margin}))
    elif worst.session_noise_percent is not None:
        alike = len(machines_of(base, system)) == 1
        rule = "side-by-side-would-show" if alike else "no-repeats-would-show"
        decides = finding(rule, *parts_of(margin))
    else:
        decides = finding("many-repeats-would-show", *parts_of({"repeats": MOST_REPEATS.value, **margin}))
    return finding("could-have-seen", *_visible(worst), because=[decides])


def _level(system: System, number: int) -> Level:
    return next(level for level in system.levels if level.level == number)
