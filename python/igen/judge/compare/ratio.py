"""System over base, as the result document has it: each question of a comparison with its one answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.trust.finding import Finding
from igen.judge.trust.rules.comparison import LEAST_RUNS_OF_A_RATE
from igen.loads import Quantity as Quantity

Served = Literal["held", "overloaded", "driver failed", "cannot tell"]
"""What became of an open or paced load: all of it was served; more was offered than the system served; the
driver did not send it; runs differ, or what disturbed the machine may be the cause."""
Answer = Literal["faster", "slower", "equivalent", "cannot tell"]
"""What a comparison says of a system against its base. Faster: more throughput, or shorter times."""
NotSlowerAnswer = Literal["not slower", "slower", "cannot tell"]
Method = Literal["paired log-t", "log-Welch", "paired confidence sequence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSlower:
    """The answer of a non-inferiority test: a system was shown to be slower by less than a margin, or not."""

    margin_percent: float
    answer: NotSlowerAnswer
    """`not slower` and `slower` are shown with 95 % confidence, by a one-sided test each."""
    worst: float | None
    """The end of the one-sided 95 % interval of the ratio on the slower side, moved by what disturbed the
    machine; None without an interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOrder:
    """The system executed first in each pair, and the effect of going first on the figure."""

    pairs: int
    system_first: int
    """Pairs in which the system was executed first; in the others its base was."""
    first_over_second: Figure | None
    """The figure of a system that is executed first over that of the same system executed second, with its
    95 % interval; None if the order is not in the model, as below 5 pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """A quantity that keeps two systems from being equivalent, although another one is."""

    quantity: Quantity
    answer: Answer
    """`faster` or `slower` if it is shown to differ."""
    ratio: Figure
    """With the interval that the answer used; without one if there are too few runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredRatio:
    """System over base in one quantity, and the one answer that every part of a report gives."""

    system: str
    base: str
    quantity: Quantity
    ratio: Figure
    """With the interval that the answer used, and its level; `n` is the number of pairs, or of runs of the
    side that has fewer."""
    answer: Answer
    """Difference: the interval, widened by the disturbance of both sides, leaves out 1. Equivalent: it lies
    within the margin. Both are about this quantity alone: see `apart`."""
    p: float | None
    """The smallest error of the whole report at which a difference would be claimed; None if nothing was
    tested."""
    error: float | None
    """The share of the report's error at which this question was tested; None if it was not."""
    questions: int
    """Number of questions of the whole report, which share its error."""
    margin_percent: float
    """Smaller differences do not matter: `equivalent` means within this."""
    visible_percent: float | None
    """The smallest effect that this question would have shown in 4 of 5 studies, at its own error."""
    repeats_needed: int | None
    """Repeats of each system that show an effect of the margin in 4 of 5 studies; None if none would."""
    disturbance_percent: float
    """Sum of the bounds that disturbance of both sides puts on this quantity: no smaller claim is made."""
    session_noise_percent: float | None
    """Standard deviation between sessions that is in the interval, if runs were measured one after the other;
    None if they stand side by side."""
    session_noise_is_assumed: bool = False
    """Nobody measured it on this machine: 4 % stand for it."""
    method: Method
    load: str = ""
    """The one of several loads at once that it is about: each is compared on its own."""
    apart: list[Apart] = field(default_factory=list)
    """Quantities that keep the systems from being equivalent although the one that decides is; else empty."""

    @property
    def is_left_open(self) -> bool:
        """True if the interval leaves out 1, and disturbance of the machine may be the whole difference."""
        low, high = self.ratio.low, self.ratio.high
        return self.answer == "cannot tell" and low is not None and high is not None and not low <= 1 <= high

    @property
    def differs_in_session(self) -> bool:
        """True if only unmeasured noise between sessions keeps a difference from being an answer."""
        if self.answer != "cannot tell" or not self.session_noise_is_assumed or self.error is None:
            return False
        return self.ratio.within_session.against(1.0, 1.0, error=self.error) in ("above", "below")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio(AnsweredRatio):
    """The ratio at one load."""

    level: int
    """Number of the level in the base."""
    users: int | None
    offered_per_s: float | None
    decides: bool
    """The load's own question: the throughput of a closed load, the mean response time of others."""
    figure: float
    """Figure of the system that the ratio divides, per second or in ms: the geometric mean of the runs in the
    test. It may lack runs of its level that have no partner, and allows for who was executed first."""
    base_figure: float
    """Figure of the base; `ratio` is `figure` / `base_figure`."""
    run_ratios: list[float]
    """The ratio of each pair of runs; where there are no pairs, of each run to the base's geometric mean."""
    restates_throughput: bool
    """By Little's law, so that it is no question of its own: the mean response time of users who never
    wait."""
    served: Served | None
    """What became of the load of the system: `held`, `overloaded`; None for a closed load."""
    base_served: Served | None
    findings: list[Finding] = field(default_factory=list)
    """Notes: why there is no interval or no answer."""
    of_invalid: bool = False
    """A level of it is INVALID in this quantity: its value says nothing, and no report shows it."""
    not_slower: NotSlower | None = None
    """Answer of the non-inferiority test; of the ratio that decides, where a comparison asks for it."""
    among: str = ""
    """All loads of that level in words, if it has several at once."""
    order: PairOrder | None = None
    """Order of the pairs, if it is known; from 5 pairs on what going first does is not in the ratio."""

    @property
    def rate_holder(self) -> str | None:
        """The one of the systems that held the offered rate where the other did not; None where that is not
        so.

        Every run of the one holds it and no run of the other: of three runs of two equal systems that is so
        by chance in 3 % of studies, at the worst rate.
        """
        if not self.decides or self.ratio.n < LEAST_RUNS_OF_A_RATE.value:
            return None
        served = (self.served, self.base_served)
        if served == ("held", "overloaded"):
            return self.system
        return self.base if served == ("overloaded", "held") else None

    @property
    def shown(self) -> Figure | None:
        """The ratio as far as a reader may see it."""
        return None if self.of_invalid else self.ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallRatio(AnsweredRatio):
    """The geometric mean of the ratios over the loads that both systems were measured at, in what they decide
    by. With one load this is the question of that load.

    Its interval is known from the `n` repeats that have all loads on both sides.
    """

    test: str
    """Test of the study; empty if it names none. The names of the systems are without it."""
    title: str
    loads: int
    published: dict[str, float]
    """By product."""
