"""How well a figure is known in any session of a machine, beside how well it is known in this one."""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, sqrt

from igen.judge.compare.machine import machine_of
from igen.judge.compare.terms import Terms
from igen.judge.figure.figure import FAMILY_ERROR, critical_of
from igen.judge.result import Finding, System
from igen.judge.trust.finding import finding
from igen.judge.trust.usable import usable
from igen.loads import THROUGHPUT, deciding_quantity


def any_session(system: System, terms: Terms) -> Iterator[Finding]:
    """Yield both half widths of the highest level, if the noise between sessions of its machine is known."""
    quantity = deciding_quantity(system.load_model)
    known = terms.noise.get(machine_of(system))
    noise = known.of.get(quantity) if known and quantity else None
    sessions = noise.session_variance if noise else None
    levels = usable(system.levels)
    if sessions is None or not levels:
        return
    level = max(levels, key=lambda each: each.throughput_per_s.value)
    times = level.response_time_ms
    mean = times.mean_interval if times else None
    figure = level.throughput_per_s if quantity == THROUGHPUT else mean
    if figure is None or figure.error is None or not figure.freedom:
        return
    within = figure.error**2
    both = within + sessions.variance
    # Degrees of freedom after Satterthwaite.
    freedom = both**2 / (within**2 / figure.freedom + sessions.variance**2 / sessions.freedom)
    half = critical_of(figure.kind, figure.known_by, freedom, FAMILY_ERROR) * sqrt(both)
    # More degrees of freedom must not make any session better known than this one.
    half = max(half, figure.half())
    yield finding(
        "any-session",
        scope="system",
        this_session_percent=100 * expm1(figure.half()),
        any_session_percent=100 * expm1(half),
        sessions=noise.sessions if noise else 0,
    )
