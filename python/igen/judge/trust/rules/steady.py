"""Rules about the shape of the runs of a level: an outage, and what is only observed.

Critical values of a step are simulated (tests/judge/test_step.py): a false alarm in 3 % of steady levels.
"""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule

LEAST_INTERVALS = Limit(6, "intervals", "nobody sees a trend or an outage in a shorter series")
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
OUTAGE_LEVEL = Limit(0.5, "of the median throughput", "below it the load was interrupted")
OUTAGE_SHARE = Limit(0.05, "of the measured time", "a shorter interruption does not matter")
OUTAGE_INTERVALS = Limit(2, "intervals", "a longer interruption matters in any case")
OUTAGE_SD = Limit(6.0, "standard deviations below the median", "noise does not go as far")
BY_CHANCE = Limit(9.0, "log-likelihood", "by which a gap is no chance if transactions come at random: e⁻⁹")
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
    Rule("few-intervals", "statistics", "SUSPECT", limits=(LEAST_INTERVALS,)),
    Rule(
        "outage",
        "statistics",
        "SUSPECT",
        limits=(OUTAGE_LEVEL, OUTAGE_SHARE, OUTAGE_INTERVALS, OUTAGE_SD, BY_CHANCE, LEAST_NOISE),
    ),
    Rule(
        "step",
        "statistics",
        limits=(LEAST_EFFECT, STEP_SD, STEP_SD_OF_MORE, CLIP_SD, MOST_CORRELATION, MOST_INTERVALS),
    ),
    Rule(
        "few-periods",
        "statistics",
        limits=(LEAST_PERIODS, PERIOD_CORRELATION, PERIOD_SD, NEARLY_AS_GOOD, COUNTED),
    ),
    Rule("long-warm-up", "statistics", limits=_FRONT),
)
