"""Findings about two systems side by side: notes, answers, and what stands behind them."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.trust.finding import Finding, Part, finding
from tests.say.examples.systems import TEST, load, ratio, system

PAIR = (system("B"), Part(name="base", text="A"))


def compared(rule: str, *parts: Part, because: tuple[Finding, ...] = (), **named: float | str) -> Finding:
    """Return a finding about a pair of systems."""
    return finding(rule, *PAIR, *parts, scope="comparison", because=because, **named)


WITH_NOISE = finding(
    "measured-one-after-the-other",
    scope="comparison",
    because=[finding("noise-assumed")],
    noise_percent=4,
)
NOTES = (
    compared("nothing-in-common"),
    compared("other-workload", Part(name="workload", text="oltp"), Part(name="workload", text="bank")),
    compared(
        "other-version",
        Part(name="version", text="2"),
        Part(name="version", text="1"),
        Part(name="workload", text="oltp"),
    ),
    compared("loads-without-work", load("1 user"), load("clerks at 8 users")),
    compared("several-factors", factors=3),
    WITH_NOISE,
    replace(
        WITH_NOISE,
        because=(finding("noise-measured", Part(name="workload", text="oltp"), sessions=6),),
    ),
    replace(WITH_NOISE, because=(finding("noise-of-several-loads-assumed"),)),
    replace(
        WITH_NOISE,
        rule="measured-on-two-machines",
        because=(
            finding("noise-assumed", machine="db1"),
            finding("noise-measured", Part(name="machine", text="db2"), workload="oltp", sessions=6),
        ),
    ),
)
TESTED = (
    finding("tested", Part(name="test", text="log-Welch")),
    finding("order-of-pairs", least_cost_percent=-0.7, most_cost_percent=1.2, system="B", first=8, pairs=15),
    finding("corrected", questions=4),
    finding("session-noise-assumed", noise_percent=4),
)
COST_ONLY = finding(
    "order-of-pairs", least_cost_percent=0.7, most_cost_percent=1.2, system="B", first=3, pairs=5
)
GAIN_ONLY = finding(
    "order-of-pairs", least_cost_percent=-1.2, most_cost_percent=-1.2, system="B", first=1, pairs=1
)


def answer(
    rule: str,
    *ratios: Part,
    because: tuple[Finding, ...] = (),
    loads: int = 1,
    loads_compared: int = 1,
    quantity: str = "throughput",
) -> Finding:
    """Return the answer of one load or of several."""
    return compared(
        rule,
        Part(name="quantity", text=quantity),
        *ratios,
        because=(*because, *TESTED),
        loads=loads,
        loads_compared=loads_compared,
        margin_percent=5,
    )


TOGETHER = compared(
    "parts-of-ratio",
    Part(name="quantity", text="throughput"),
    load(),
    ratio(1.54, 1.5, 1.58),
    ratio(1.1, 1.08, 1.12, "factor", "cpu"),
    ratio(1.4, 1.37, 1.43, "factor", "kernel"),
    repeats=5,
)
PARTS_OF_RATIOS = (
    TOGETHER,
    *(
        replace(TOGETHER, because=(each,))
        for each in (
            finding("no-interaction-shown", ratio(1.01, 0.97, 1.04, "interaction")),
            finding(
                "factors-interact",
                ratio(1.1, 1.07, 1.14, "interaction"),
                ratio(1.05, 1.03, 1.07, "step", "cpu"),
                ratio(1.15, 1.12, 1.18, "step", "cpu"),
                factor="kernel",
            ),
        )
    ),
)
ONE = ratio(1.21, 1.19, 1.231, text="1 user")
SEVERAL = (ONE, ratio(1.29, 1.212, 1.371, text="8 users"))
NEAR = ratio(1.004, 0.981, 1.028, text="8 users")


def unseen(rule: str, visible_percent: float | None = 8.3, **named: float) -> Finding:
    """Return what would have been seen, and what would decide."""
    visible = [] if visible_percent is None else [Part(name="visible_percent", figure=visible_percent)]
    decides = finding(rule, *(Part(name=name, figure=figure) for name, figure in named.items()))
    return finding("could-have-seen", *visible, because=[decides])


UNSEEN = (
    unseen("disturbed-beyond-margin", margin_percent=5),
    unseen("repeats-would-show", repeats=14, margin_percent=5),
    unseen("side-by-side-would-show", margin_percent=5),
    unseen("no-repeats-would-show", margin_percent=5),
    unseen("many-repeats-would-show", None, repeats=1000, margin_percent=5),
)
ANSWERS = (
    answer("faster", ONE),
    answer("faster", *SEVERAL, loads=3, loads_compared=4),
    answer("faster", NEAR, because=(finding("within-margin", margin_percent=5),)),
    replace(answer("slower", ratio(0.83, 0.81, 0.85, text="8 users")), because=(TESTED[0], COST_ONLY)),
    replace(answer("equivalent", NEAR), because=(TESTED[0], GAIN_ONLY, TESTED[2])),
    answer("equivalent", NEAR, quantity="mean response time", loads=1, loads_compared=2),
    *(answer("cannot-tell-apart", NEAR, because=(each,)) for each in UNSEEN),
    answer("times-shorter", ratio(0.83, 0.81, 0.85, text="8 users"), quantity="p99 response time"),
    answer("times-longer", *SEVERAL, loads=2, loads_compared=4, quantity="mean response time"),
    compared("holds-rate", load("100/s"), loads_compared=1),
    compared("holds-rate", load("100/s"), load("200/s"), load("400/s"), loads_compared=4),
)


def apart(rule: str, *ratios: Part, quantity: str = "p99 response time") -> Finding:
    """Return a quantity that keeps two systems from being equivalent."""
    return finding(rule, Part(name="quantity", text=quantity), *ratios)


OF_TAIL = ratio(2.2, 1.9, 2.5)
APART = (
    apart("apart-longer", replace(OF_TAIL, level=0.995)),
    apart("apart-shorter", replace(OF_TAIL, figure=0.5, span=(0.4, 0.6)), quantity="p99.9 response time"),
    apart("apart-unknown", replace(OF_TAIL, figure=1.1, span=(0.9, 1.3), level=0.9)),
    apart("apart-unknown", Part(name="ratio", figure=1.1)),
)


def overall(rule: str, *because: Finding) -> Finding:
    """Return the answer over all loads."""
    return compared(
        rule,
        Part(name="quantity", text="throughput"),
        replace(ratio(1.21, 1.19, 1.231), level=0.97),
        TEST,
        because=(*because, *TESTED[2:]),
        loads=4,
        repeats=5,
        margin_percent=5,
    )


OVERALL = (
    overall("faster-overall"),
    overall("slower-overall"),
    overall("equivalent-overall"),
    overall("equivalent-in-part-overall", *APART[:2]),
    overall("cannot-tell-overall", UNSEEN[1]),
    answer("equivalent-in-part", NEAR, because=APART[2:3]),
)
OF_COMPARISONS = (*NOTES, *PARTS_OF_RATIOS, *ANSWERS, *APART, *OVERALL)
