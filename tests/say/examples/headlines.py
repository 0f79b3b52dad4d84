"""What stands at the top of a report, as `igen.report.statement` decides it."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.trust.finding import Finding, Part, finding

QUIET = Part(name="machine_percent", span=(0.0, 0.0))
OTHERS = finding("concurrent-runs", other_runs=1)
ALIKE = finding(
    "alike-loads",
    Part(name="loads", text="2 to 4 users"),
    Part(name="test", text="t test"),
    within_percent=9.7,
)
NO_PEAK = finding("peak-not-named", because=[finding("few-valid-loads")])


def tally(**levels: int) -> list[Part]:
    """Return how many levels have each verdict."""
    return [Part(name="levels", figure=number, text=verdict) for verdict, number in levels.items()]


def rate(load: str = "2 users", machine: Part = QUIET) -> list[Part]:
    """Return a throughput with its load and its doubt."""
    return [
        Part(name="load", text=load),
        Part(name="throughput_per_s", figure=9752, span=(9606, 9898), text="transactions"),
        Part(name="runs", figure=3),
        machine,
    ]


def times(*more: Part) -> list[Part]:
    """Return the times at a rate."""
    return [
        Part(name="load", text="150/s"),
        Part(name="mean_ms", figure=10),
        Part(name="p99_ms", figure=54.1),
        Part(name="runs", figure=3),
        Part(name="mean_interval_ms", figure=10, span=(9.75, 10.25)),
        *more,
        QUIET,
    ]


def top(
    rule: str,
    *parts: Part,
    levels: list[Part] | None = None,
    because: tuple[Finding, ...] = (),
    **named: float | str,
) -> Finding:
    """Return what a system reached."""
    of = levels if levels is not None else tally(VALID=2, SUSPECT=1, INVALID=1)
    return finding(rule, *of, *parts, because=because, system="shop", workload="oltp", **named)


def did(load: str, parts: list[Part]) -> Finding:
    """Return what one of several loads did."""
    return replace(finding("load-did", *parts), load=load)


LOADS = (did("clerks", rate()), did("orders", times()))
RATE = Part(name="throughput_per_s", figure=4828, span=(4751, 4905), text="transactions")
OF_HEADLINES = (
    finding("levels-off", RATE, Part(name="load", text="1 user")),
    finding(
        "levels-off",
        RATE,
        Part(name="load", text="1 user"),
        Part(name="fall_percent", figure=13.6, text="64 users"),
    ),
    finding("highest-at", RATE, Part(name="load", text="8 users")),
    finding("still-grows", RATE, Part(name="load", text="64 users")),
    top("nothing-measured", levels=[]),
    top("no-figure-usable", levels=tally(INVALID=1)),
    top("none-succeeded", levels=tally(VALID=2)),
    top("reached-by-aspect", because=(finding("one-run"),)),
    top("reached-together", *rate(), instances=1),
    top(
        "reached-together",
        *rate(),
        Part(name="efficiency", figure=0.93, span=(0.91, 0.95)),
        instances=4,
        limit_ms=20,
        within_limit=2,
    ),
    top("reached-alone", *rate(), levels=tally(SUSPECT=1), because=(OTHERS, finding("interrupted"))),
    top(
        "reached-compared", *rate(), because=(finding("highest-at", RATE, Part(name="load", text="8 users")),)
    ),
    top("reached-plateau", *rate(), Part(name="one_run"), because=(ALIKE,)),
    top("reached-peak", *rate(), Part(name="sweet_spot")),
    top(
        "reached-peak",
        *rate(machine=Part(name="machine_percent", span=(-0.4, 9.1))),
        Part(name="unconfirmed"),
        verdict="SUSPECT",
        because=(OTHERS,),
    ),
    top("reached-peak", *rate("10 users of clerks and 20/s of orders"), because=LOADS),
    top("reached-most-tried", *rate()),
    top("reached-most", *rate(), because=(NO_PEAK,)),
    top("reached-times", *times(Part(name="p99_interval_ms", figure=54.1, span=(50, 58)))),
    top("reached-within-limit", *rate(), limit_ms=20),
    top("reached-held", *times()),
    top("reached-timed", *times(), held="200/s"),
    top("reached-by-loads", verdict="SUSPECT", because=(*LOADS, NO_PEAK, OTHERS)),
    *LOADS,
    NO_PEAK,
    finding("most-of-systems", because=[top("reached-most-tried", *rate())]),
    finding("many-systems", *tally(VALID=36), systems=12),
    finding("all-levels-invalid", Part(name="failed"), levels=1),
    finding("all-levels-invalid", Part(name="overloaded"), levels=2),
    finding("all-levels-invalid", Part(name="failed"), Part(name="overloaded"), levels=2),
    finding(
        "levels-invalid",
        Part(name="system", text="A"),
        Part(name="load", text="2 users"),
        Part(name="system", text="A"),
        Part(name="load", text="4 users"),
        Part(name="system", text="B"),
        Part(name="load", text="8 users"),
        Part(name="more", figure=2),
        invalid=5,
        levels=8,
    ),
    finding("load-failed", Part(name="load", text="4 users"), because=[finding("device-failed", ios=1)]),
)
