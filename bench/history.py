"""How often `igen history` is right: simulated histories with a known truth."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from bench.outcome import Goal, Outcome, number
from tests.judge.histories import ALIKE, NOISE, Scenario, Shares, shares

FULL, QUICK = 300, 40
STEPS = ((16, 8, 2.5), (26, 20, 2.5), (12, 6, 4.0))
"""Runs, edge, effect in standard deviations."""
UNDONE = ((16, 6, 10), (20, 8, 11), (24, 8, 16), (30, 12, 17), (50, 30, 36))
"""Runs, and both edges of a change of five standard deviations."""
LENGTHS = (8, 10, 16, 20, 50)
ODD = (-20.0, -10.0, 10.0)
NOTES = [
    "Effects are in standard deviations of a run. any: some change is found. near: a change is found at each "
    "edge, or at the run next to it. named: the first run after each edge is.",
    "A goal is its target with two standard errors of the simulated share. For 16 runs that resemble each "
    "other it is out of reach: the likelihood ratio of both, allowed 0.08 false alarms in noise of "
    "correlation 0.5, finds 2.5 standard deviations at 8 of 16 in 0.76 of histories, before a change that "
    "was undone takes its part of the error.",
    "Tried on 400 histories of 16 runs of correlation 0.5: random orders of the innovations instead of the "
    "runs, with the correlation that is left without the best change. False alarms fall from 0.22 to 0.18, "
    "and 2.5 at 8 of 16 is found in 0.82 instead of 0.85; with this correlation corrected for its bias 0.16 "
    "and 0.79. The goal of power is lost long before false alarms are 0.08. So the runs are put in random "
    "order, and a history whose runs resemble each other has a note.",
    "An odd run is 3 to 8 runs before the change, which is at the sixth run from the end.",
]


def measure(*, quick: bool) -> Outcome:
    """Return the rates of all scenarios."""
    histories = QUICK if quick else FULL
    outcome = Outcome("history", ("any", "near", "named"), notes=NOTES)
    rows = list(_rows())
    with ProcessPoolExecutor() as pool:
        found = pool.map(partial(shares, histories=histories), [scenario for _, scenario, _, _ in rows])
        for (name, _, which, goal), of in zip(rows, found, strict=True):
            outcome.add(name, any=number(of.any), near=number(of.near), named=number(of.named))
            if goal:
                _hold(outcome, name, of, which, goal, histories)
    return outcome


def _rows() -> Iterator[tuple[str, Scenario, str, str]]:
    """Yield the name of each scenario, and the share that has a goal."""
    for noise in (*NOISE, *ALIKE):
        for runs in LENGTHS:
            yield f"no change, {noise}, {runs} runs", Scenario(runs, noise), "any", "<= 0.08"
    for runs, edge, effect in STEPS:
        yield f"{effect:g} at {edge} of {runs}", Scenario(runs, effect=effect, edges=(edge,)), "any", ">= 0.8"
    for runs, begin, end in UNDONE:
        scenario = Scenario(runs, effect=5.0, edges=(begin, end))
        yield f"5 from {begin} to {end} of {runs}", scenario, "near", ">= 0.9"
    for odd in ODD:
        for runs in (16, 20, 30):
            scenario = Scenario(runs, effect=5.0, edges=(runs - 6,), odd=odd)
            yield f"odd run {odd:+g} before a change of -5, {runs} runs", scenario, "named", ">= 0.9"


def _hold(outcome: Outcome, name: str, found: Shares, which: str, goal: str, histories: int) -> None:
    sign, limit = goal.split()
    error = 2 * (float(limit) * (1 - float(limit)) / histories) ** 0.5
    allowed = float(limit) + (error if sign == "<=" else -error)
    outcome.goals[f"{name}: {which}"] = Goal(getattr(found, which), f"{sign} {allowed:.4g}")
