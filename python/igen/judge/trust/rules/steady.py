"""Rules about steadiness: why the throughput of a level had not settled.

Critical values are simulated (tests/judge/test_steady.py): together they raise a false alarm in 5 % of
steady levels.
"""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule

LEAST_INTERVALS = Limit(6, "intervals", "a shorter series cannot be judged")
MOST_INTERVALS = Limit(60, "intervals", "longer series are judged in batches, which are less correlated")
LEAST_PERIODS = Limit(3, "periods", "of fewer the mean depends on where the measurement ends")
PERIOD_CORRELATION = Limit(0.5, "autocorrelation", "noise is correlated up to it")
PERIOD_SD = Limit(3.5, "standard errors of an autocorrelation", "below 2 % of series without a period pass")
NEARLY_AS_GOOD = Limit(
    0.8, "of the highest autocorrelation", "multiples of a period correlate as well: the first one counts"
)
COUNTED = Limit(
    2.0,
    "transactions",
    "by which neighbouring intervals of a regular load differ: where they are cut decides",
)
CLIP_SD = Limit(3.0, "standard deviations", "one interval that is further off is noise")
MOST_CORRELATION = Limit(0.5, "correlation of neighbouring intervals", "more is a random walk")
LEAST_EFFECT = Limit(0.005, "of the mean", "a change that does less is none for any purpose")
LOOK_AGAIN_SD = Limit(
    0.3,
    "standard deviations",
    "added to critical values if runs were measured longer: they were looked at more than once",
)
STEP_SD = Limit(
    {10: 2.95, 20: 3.4, 50: 4.1},
    "standard deviations, by the number of intervals",
    "critical value of the part that differs most, of one run: 3 % of steady levels have a run beyond it",
)
STEP_SD_OF_MORE = Limit(
    {10: 0.5, 20: 0.45, 50: 0.55},
    "standard deviations times ln runs, by the number of intervals",
    "added to it for each further run that is looked at",
)
CLEAR_SD = Limit(
    10.0, "standard deviations from one interval to the next", "medians of parts further apart are a step"
)
CLEAR_PART = Limit(3, "intervals", "least length of such a part")
DRIFT_SD_ALONE = Limit(3.1, "standard errors", "critical value of the slope of one or two runs (1 %)")
DRIFT_SD = Limit(2.8, "standard errors", "critical value of the slope of three or more runs (1 %)")
DRIFT_RUNS = Limit(3, "runs", "from which on the second of both critical values holds")
LEAST_DRIFT = Limit(0.015, "of the level, from start to end", "a slope that does less does not matter")
WANDER_SD = Limit(
    {10: 2.25, 20: 2.45, 50: 2.72},
    "standard deviations, by the number of intervals",
    "critical value of the mean over endless runs of what the step test saw in each (1 %)",
)
WANDER_SD_OF_FEW = Limit(
    {10: 0.95, 20: 0.8, 50: 1.66},
    "standard deviations over the root of the number of runs, by the number of intervals",
    "added to it",
)
OUTAGE_LEVEL = Limit(0.5, "of the median throughput", "below it the load was interrupted")
OUTAGE_SHARE = Limit(0.05, "of the measured time", "a shorter interruption does not matter")
OUTAGE_INTERVALS = Limit(2, "intervals", "a longer interruption matters in any case")
OUTAGE_SD = Limit(6.0, "standard deviations below the median", "noise does not go as far")
BY_CHANCE = Limit(
    9.0, "log-likelihood", "by which a gap or step is no chance if transactions come at random: e⁻⁹"
)
FRONT_INTERVALS = Limit(3, "intervals", "a shorter front cannot be told from a stall")
FRONT_STEP = Limit(
    0.67,
    "of the whole way",
    "largest step: an exponential approach goes 0.63 of it in its first time constant, a stall all of it",
)
FRONT_AREA = Limit(
    0.5,
    "of the front's first distance",
    "mean distance: 0.3 of an exponential approach, 0.5 and more of a drift that continues, 1 of a step",
)
FRONT_AREA_SD = Limit(1.5, "standard errors", "by which noise may make the mean distance larger")
FRONT_SLOPE_SD = Limit(
    2.5, "standard errors", "a slope behind the front in the same direction: a drift that continues"
)
FRONT_FURTHER = Limit(1.5, "times the rest", "the front must lie further off than what comes after it")
FRONT_SD = Limit(
    6.0, "standard errors of independent noise", "the front must be clear: noise may be correlated"
)
FRONT_NOISE_SD = Limit(4.0, "standard deviations", "by which an interval may leave the monotone curve")
LEAST_NOISE = Limit(
    0.003, "of the level", "least noise: a series without noise cannot be compared with its own"
)
_FRONT = (
    FRONT_INTERVALS,
    FRONT_STEP,
    FRONT_AREA,
    FRONT_AREA_SD,
    FRONT_SLOPE_SD,
    FRONT_FURTHER,
    FRONT_SD,
    FRONT_NOISE_SD,
)

ROWS = (
    Rule("few-intervals", "statistics", limits=(LEAST_INTERVALS, MOST_INTERVALS)),
    Rule(
        "few-periods",
        "statistics",
        limits=(LEAST_PERIODS, PERIOD_CORRELATION, PERIOD_SD, NEARLY_AS_GOOD, COUNTED),
    ),
    Rule("long-warm-up", "statistics", limits=_FRONT),
    Rule("outage", "statistics", limits=(OUTAGE_LEVEL, OUTAGE_SHARE, OUTAGE_INTERVALS, OUTAGE_SD, BY_CHANCE)),
    Rule(
        "step",
        "statistics",
        limits=(LEAST_EFFECT, STEP_SD, STEP_SD_OF_MORE, CLEAR_SD, CLEAR_PART, BY_CHANCE),
    ),
    Rule("drift", "statistics", limits=(LEAST_DRIFT, DRIFT_SD, DRIFT_SD_ALONE, DRIFT_RUNS)),
    Rule("wander", "statistics", limits=(LEAST_EFFECT, WANDER_SD, WANDER_SD_OF_FEW)),
)
ALL_TESTS = (CLIP_SD, MOST_CORRELATION, LEAST_NOISE, LOOK_AGAIN_SD)
"""Limits of what all tests have in common."""
