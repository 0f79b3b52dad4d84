"""Lateness of the starts of an open load, with and without threads that spin before a start is due."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bench import agent, servers
from bench.comparison import interleave, spread
from bench.outcome import Goal, Outcome, number
from igen.judge.record.histogram import merge
from igen.judge.record.recording import recording_from_events
from igen.judge.run.lateness import lags_ns

RATES_PER_S = (20, 200, 2_000)
GATED_PER_S = 200
WARMUP_S = 1
BODY_BYTES = 100
WAYS = ("precise", "not precise")
COLUMNS = (
    "lateness_p99_us",
    "range",
    "lateness_mean_us",
    "response_p50_us",
    "response_p99_us",
    "cpu_percent",
    "spun_percent",
)
GOAL = "<= 20"

NOTES = [
    "Lateness is the time from the moment at which a transaction was due to its start; its quantiles are the "
    "differences between the quantiles of response times and service times. Values are medians of "
    "alternating runs, a range goes from the lowest to the highest.",
    f"nginx with one worker on loopback answers each request with {BODY_BYTES} bytes. Arrivals are constant; "
    "the number of users and threads is the default.",
    "Percentages are of one processor: of the whole client process from its start to its end, and of what "
    "its threads spun during MEASURE (`engine.spun_s`).",
]


@dataclass(frozen=True, slots=True)
class Run:
    """Results of one run, in the columns of the table."""

    lateness_p99_us: float
    lateness_mean_us: float
    response_p50_us: float
    response_p99_us: float
    cpu_percent: float
    spun_percent: float


def measure(*, quick: bool) -> Outcome:
    """Two rows for each rate."""
    rounds, measure_s = (3, 2) if quick else (5, 3)
    outcome = Outcome("punctual", COLUMNS, notes=NOTES)
    with servers.nginx(BODY_BYTES) as target:
        for rate_per_s in RATES_PER_S:
            sides = {way: partial(run, target, rate_per_s, measure_s, precise=way == WAYS[0]) for way in WAYS}
            for way, runs in interleave(sides, rounds).items():
                medians = {
                    name: statistics.median(getattr(each, name) for each in runs)
                    for name in COLUMNS
                    if name != "range"
                }
                shown = {name: number(value) for name, value in medians.items()}
                outcome.add(
                    f"{rate_per_s:,} requests/s, {way}",
                    range=spread([each.lateness_p99_us for each in runs]),
                    **shown,
                )
                if rate_per_s == GATED_PER_S and way == WAYS[0]:
                    outcome.goals["lateness_p99_us"] = Goal(medians["lateness_p99_us"], GOAL)
    return outcome


def run(target: str, rate_per_s: float, measure_s: float, *, precise: bool) -> Run:
    """Execute one job."""
    done = agent.run(job(target, rate_per_s, measure_s, precise=precise))
    recording = recording_from_events(done.events)
    service = merge([each.transactions.service_time for each in recording.measure])
    response = merge([each.transactions.response_time for each in recording.measure])
    lags_us = lags_ns(service, response) / 1e3
    p50_us, p99_us = response.quantiles_ns([0.5, 0.99]) / 1e3
    return Run(
        lateness_p99_us=float(np.quantile(lags_us, 0.99)),
        lateness_mean_us=float(lags_us.mean()),
        response_p50_us=float(p50_us),
        response_p99_us=float(p99_us),
        cpu_percent=100 * done.execution.cpu_s / done.execution.wall_s,
        spun_percent=100 * float(recording.facts.get("engine.spun_s", 0.0)) / measure_s,
    )


def job(target: str, rate_per_s: float, measure_s: float, *, precise: bool) -> dict[str, Any]:
    """Return the job, with all of its default monitors."""
    return {
        "workload": "http",
        "targets": [target],
        "load": {"open": {"rate_per_s": rate_per_s}},
        "phases": {"warmup_s": WARMUP_S, "measure_s": measure_s},
        "placement": {"precise": precise},
    }
