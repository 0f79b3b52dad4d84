"""What the figures mean and how they were computed, in words; the same in every format."""

from __future__ import annotations

from igen.analysis.result import Result
from igen.analysis.value import LAST_FIFTH
from igen.report.number import significant


def floor_sentence(floor_ns: float) -> str:
    """What the engine itself costs, so that a reader can tell how much of a short transaction is its own."""
    return f"The engine itself costs {significant(floor_ns)} ns for each transaction, measured with noop."


def method(result: Result) -> list[tuple[str, str]]:
    """Terms and what they mean, those that this result's study chose first."""
    fifth = any(system.value == LAST_FIFTH for system in result.systems)
    return [*([LAST_FIFTH_METHOD] if fifth else []), *METHOD]


LAST_FIFTH_METHOD = (
    "Value: median of the last fifth",
    "The study takes as the throughput of a run the median of the intervals in the last fifth of its "
    "measurement; response times, operations and resources are those of the same fifth. What comes before is "
    "warm-up and has no part in any figure.",
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
        "The run is the unit of inference: a 95 % interval is Student's t over the means of a level's "
        "repeats. One run has no interval, and a ratio has one from three runs of each side on.",
    ),
    (
        "Ratio",
        "Welch's t on the logarithms of the runs' throughputs; a paired t where the runs of both systems "
        "were interleaved. ~ says that the two cannot be told apart at this level, "
        "which is not the same as equal.",
    ),
    (
        "Percentiles",
        "Histograms of all valid repeats are merged, then read: percentiles are never averaged. "
        "Their resolution is 0.4 %.",
    ),
    (
        "Warm-up",
        "The warm-up phase does not count, and MSER-5 cuts what is left of it from the front of each "
        "measurement.",
    ),
    (
        "Verdict",
        "VALID, SUSPECT or INVALID by fixed rules: steal, pressure, load driver busy, errors, spin canary, "
        "not steady, rate not met. A run that was disturbed from outside is left out beside others; what the "
        "load itself does to one run makes its level INVALID. INVALID levels take no part in peak, ratios "
        "and observations.",
    ),
    (
        "Peak, sweet spot, knee",
        "Peak: the highest throughput, after a search that of its fresh confirmation runs alone. Sweet spot: "
        "the lowest level that is statistically the same as the peak. Knee: the highest throughput divided "
        "by response time. Within limit: the highest load whose mean response time, its whole interval, is "
        "below the limit that the study sets.",
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
