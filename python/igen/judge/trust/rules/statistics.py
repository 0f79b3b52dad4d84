"""Rules about statistics: the figures of a level do not repeat, or rest on too little."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule

CONFIDENCE = Limit(0.95, "of intervals", "hold the true value; the field's usual level")
LEAST_RUNS = Limit(3, "runs", "the interval of a level or a ratio from fewer runs is too wide to be of use")
FEW_TRANSACTIONS = Limit(100, "transactions", "one of more transactions is less than 1 %")
LEAST_RUNS_OF_P99 = Limit(5, "runs", "fewer 99th percentiles have no useful interval")
INDEPENDENT_VALUES = Limit(
    20.0,
    "independent values of the mean response time a run",
    "with fewer, times depend on when a run starts",
)
GROUP_GAP_SHARE = Limit(0.05, "of the mean", "a smaller gap between two groups of runs does not matter")
GROUP_GAP_SD = Limit(4.0, "standard deviations within the groups", "least gap between groups of many runs")
GROUP_GAP_SD_OF_FEW = Limit(
    {4: 13.4, 5: 7.7, 6: 5.9, 7: 4.8, 8: 4.1},
    "standard deviations within the groups",
    "few runs cluster by chance: with these limits in 4 % of levels (simulated), and in less than 1 % if "
    "runs differ by 2 % or less, since the gap must be a real one too",
)

INTERVAL_PERCENT = Limit(20.0, "percent of a figure", "a figure that is known no better is of little use")
SAME_VARIANCE_P = Limit(
    0.1,
    "probability",
    "by which the variance of a level is so much larger by chance (F test): if it is less likely, the level "
    "keeps its own variance instead of the one of all levels",
)
TREND_THIRDS = Limit(3, "parts of a run", "a trend is the change from the first to the last of them")
TREND_ERROR = Limit(
    {0: 0.05, 8: 0.01},
    "of levels without a trend, by degrees of freedom",
    "in which one is counted: a test with few degrees of freedom sees little",
)
TREND_RUNS = Limit(5, "runs", "of fewer, the parts of the runs tell whether there is a trend")
TREND_BLOCKS = Limit(6, "parts of a run", "by which its own noise is known: two in each third")

ROWS = (
    Rule("one-run", "statistics", "ONE RUN"),
    Rule("wide-interval", "statistics", "SUSPECT", limits=(INTERVAL_PERCENT, SAME_VARIANCE_P)),
    Rule("too-short", "statistics", "SUSPECT", limits=(INDEPENDENT_VALUES,)),
    Rule("two-groups", "statistics", limits=(GROUP_GAP_SD_OF_FEW, GROUP_GAP_SD, GROUP_GAP_SHARE)),
    Rule("noisy-repeats", "statistics", "SUSPECT"),
)
