"""What the reader should know about two systems side by side: the answers of their ratios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf, log

from igen.judge.compare.machine import machines_of
from igen.judge.curve.load import side_name
from igen.judge.curve.named import load_of, named
from igen.judge.result import Answer, Apart, Figure, Finding, OverallRatio, Part, Ratio, System
from igen.judge.trust.finding import figure, finding, parts_of
from igen.judge.trust.rules.comparison import MOST_REPEATS
from igen.judge.trust.rules.statistics import LEAST_RUNS

RULES_OF_ANSWERS: dict[Answer, str] = {
    "faster": "faster",
    "slower": "slower",
    "equivalent": "equivalent",
    "cannot tell": "cannot-tell-apart",
}
RULES_OVERALL: dict[Answer, str] = {
    "faster": "faster-overall",
    "slower": "slower-overall",
    "equivalent": "equivalent-overall",
    "cannot tell": "cannot-tell-overall",
}
IN_PART = {"equivalent": "equivalent-in-part", "equivalent-overall": "equivalent-in-part-overall"}
"""Rules of an equivalence in the quantity that decides, if the systems are apart in another one."""
RULES_APART: dict[Answer, str] = {"faster": "apart-shorter", "slower": "apart-longer"}


def pair_observations(
    base: System, system: System, ratios: Sequence[Ratio], overall: Sequence[OverallRatio]
) -> list[Finding]:
    """Return what the answers of their ratios say of `system` against `base`."""
    by_load: dict[str, list[Ratio]] = {}
    for ratio in ratios:
        by_load.setdefault(ratio.load, []).append(ratio)
    over = {each.load: each for each in overall if each.loads > 1 and each.p is not None}
    found = []
    for load, of in by_load.items():
        ours, theirs = (_under(each, load) for each in (system, base))
        found += [
            *([_overall(theirs, ours, over[load])] if load in over else []),
            *_rates_held(theirs, ours, of),
            *_decided(theirs, ours, [ratio for ratio in of if ratio.decides]),
            *_times(theirs, ours, [r for r in of if not (r.decides or r.restates_throughput)]),
        ]
    return [replace(each, scope="comparison") for each in found]


def apart(found: Iterable[Apart]) -> list[Finding]:
    """Return the quantities that keep two systems from being equivalent: each at the load where it differs
    most, or else at the load where it is known least."""
    worst: dict[str, Apart] = {}
    for each in found:
        if _apart_by(each) > _apart_by(worst.setdefault(each.quantity, each)):
            worst[each.quantity] = each
    return [
        finding(
            RULES_APART.get(each.answer, "apart-unknown"),
            Part(name="quantity", text=quantity),
            figure("ratio", each.ratio),
        )
        for quantity, each in worst.items()
    ]


def _apart_by(each: Apart) -> tuple[bool, float]:
    """Return a key that is larger for a difference, and for more of it."""
    differs = each.answer in RULES_APART
    return differs, abs(log(each.ratio.value)) if differs else _off(each.ratio)


def _off(ratio: Figure) -> float:
    """Return how far the interval of a ratio reaches from 1; infinite without one."""
    return inf if not ratio.low or not ratio.high else max(-log(ratio.low), log(ratio.high))


def _under(system: System, load: str) -> System:
    """Return the system under the name of one of the loads on it: `A (clerks)`."""
    return replace(system, name=side_name(system.name, load))


def _overall(base: System, system: System, ratio: OverallRatio) -> Finding:
    """Return the answer over all loads."""
    rule = RULES_OVERALL[ratio.answer]
    because = apart(ratio.apart)
    if ratio.answer == "cannot tell":
        because = [_could_have_seen(base, system, [ratio])]
    corrected = finding("corrected", questions=ratio.questions)
    return finding(
        IN_PART.get(rule, rule) if ratio.apart else rule,
        named(system),
        named(base, "base"),
        Part(name="quantity", text=ratio.quantity),
        figure("ratio", ratio.ratio),
        Part(name="test", text=ratio.method),
        because=[*because, corrected, *assumed_noise([ratio])],
        loads=ratio.loads,
        repeats=ratio.ratio.n,
        margin_percent=ratio.margin_percent,
    )


def _visible(ratio: Ratio | OverallRatio) -> list[Part]:
    visible = ratio.visible_percent
    return [] if visible is None else [Part(name="visible_percent", figure=visible)]


def assumed_noise(ratios: Sequence[Ratio | OverallRatio]) -> list[Finding]:
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
        of_answer = [ratio for ratio in tested if ratio.answer == answer]
        for is_apart in (False, True):
            found = [ratio for ratio in of_answer if bool(ratio.apart) == is_apart]
            if not found:
                continue
            within = answer in ("faster", "slower") and all(map(_is_within_margin, found))
            because = [finding("within-margin", margin_percent=found[0].margin_percent)] if within else []
            if answer == "cannot tell":
                because = [_could_have_seen(base, system, found)]
            because += apart(each for ratio in found for each in ratio.apart)
            named_by = IN_PART[rule] if is_apart else rule
            yield _answer(named_by, base, system, found, tested, [*because, *_evidence(tested)])


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


def _could_have_seen(base: System, system: System, ratios: Sequence[Ratio | OverallRatio]) -> Finding:
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
