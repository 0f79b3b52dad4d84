"""What the figures mean and how they were computed, in words; the same in every format."""

from __future__ import annotations

from igen.judge.record.value import LAST_FIFTH
from igen.judge.result import Result
from igen.layout.number import significant


def floor_sentence(floor_ns: float) -> str:
    """What the engine itself costs, so that a reader can tell how much of a short transaction is its own."""
    return f"The engine itself costs {significant(floor_ns)} ns for each transaction, measured with noop."


def method(result: Result) -> list[tuple[str, str]]:
    """Terms and what they mean, those that this result's study chose first."""
    fifth = any(system.value == LAST_FIFTH for system in result.systems)
    looked = any(system.looked for system in result.systems)
    chosen = [*([LAST_FIFTH_METHOD] if fifth else []), *([LOOKED_METHOD] if looked else [])]
    return [*chosen, *(each for each in METHOD if not (looked and each[0] == LOOKED_METHOD[0]))]


LAST_FIFTH_METHOD = (
    "Value: median of the last fifth",
    "The study takes as the throughput of a run the median of the intervals in the last fifth of its "
    "measurement; response times, operations and resources are those of the same fifth. What comes before is "
    "warm-up and has no part in any figure.",
)
LOOKED_METHOD = (
    "Interval",
    "The run is the unit of inference. How often a level was executed was decided by looking at its repeats, "
    "so a 95 % interval is a confidence sequence on the logarithms of their means, which holds at every "
    "look; so are those of ratios of loads and, where the answers decided, of systems. It is about twice as "
    "wide as Student's t, and two runs have none.",
)
METHOD = (
    (
        "Response time and service time",
        "Response time runs from the moment a transaction was due to start until it ended, service time "
        "from the moment it did start. They differ where transactions had to wait for a free user. "
        "Failed transactions are timed apart and are in neither.",
    ),
    (
        "Interval",
        "The run is the unit of inference: a 95 % interval is Student's t on the logarithms of the means of "
        "a level's repeats, with the variance of all levels of the system. One run has no interval, and a "
        "ratio has one from three runs of each side on.",
    ),
    (
        "Ratio",
        "Closed loads are compared by throughput, then times; open and paced ones, whose throughput is what "
        "was offered, by mean and p99 of the response time. A paired t on logarithms where the runs of both "
        "systems stand side by side or drew the same random numbers, else Welch's. Of runs side by side it "
        "is drawn which system goes first, equally often; from 5 pairs on what that does is in the model "
        "and not in the ratio. Faster and slower hold beyond what disturbed the machine. All questions of a "
        "report share an error of 5 %: 3 % for the mean over all loads, 1 % for the loads, 1 % for p99 and "
        "p99.9. Equivalent: the 90 % intervals of throughput and mean lie within the margin, and that "
        "of p99 ends below 1 + three margins. Each interval is the one that its answer used. Cannot tell is "
        "not the same as equal.",
    ),
    (
        "Percentiles",
        "Of all of the measurement, with what was in flight at its end: the geometric mean of the runs' own, "
        "which its interval estimates. Percentile curves are of all runs' histograms, merged. Their "
        "resolution is 0.4 %.",
    ),
    (
        "Warm-up",
        "The warm-up phase does not count. Where its length was left to the judge, what is left of it is cut "
        "from the front of all measurements of a level, if they approach their level evenly from one side.",
    ),
    (
        "Verdict",
        "VALID: the load was what was asked for, others and a trend that all runs share may have moved the "
        "figure by 1 % at most, and its interval is narrower than ±20 %. SUSPECT: one of them is more, or "
        "there was an outage. ONE RUN: no interval. INVALID: the load was not what was asked for (errors, "
        "server lost, rate not served, driver too busy), or the figure may be off by more than 20 %. INVALID "
        "levels take no part in peak, ratios and observations; only that every run of one system held an "
        "open or paced load and no run of the other is said.",
    ),
    (
        "Peak, sweet spot, knee",
        "Peak: the highest throughput, after a search that of its fresh confirmation runs alone. If "
        "neighbouring loads cannot be told apart from it, throughput levels off from the lowest of them on, "
        "and this load is named with its own figure. If the same runs choose it, the lower end of its "
        "interval is moved down for the number of loads that may be the peak (Bonferroni). Sweet spot: the "
        "lowest load, going down from the highest throughput, that was shown to do at least 97 % of it. "
        "Knee: the highest throughput divided by response time. Within limit: the highest load whose mean "
        "response time, its whole interval, is below the limit that the study sets.",
    ),
    (
        "Efficiency of instances",
        "X(n) / (n X(1)): the throughput of n instances over n times that of one, each under the same load. "
        "Its interval is that of the ratio X(n) / X(1).",
    ),
    (
        "Resources",
        "Of the whole host while the level was measured, divided by transactions where it says so. "
        "kB are 1,000 bytes.",
    ),
)
