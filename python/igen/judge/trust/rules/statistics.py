"""Rules about statistics: the figures of a level do not repeat, or rest on too little."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule
from igen.judge.trust.rules.steady import ALL_TESTS

CONFIDENCE = Limit(0.95, "of intervals", "hold the true value; the field's usual level")
LEAST_RUNS = Limit(3, "runs", "the interval of a level or a ratio from fewer runs is too wide to be of use")
FEW_TRANSACTIONS = Limit(100, "transactions", "one of more transactions is less than 1 %")
LEAST_RUNS_OF_P99 = Limit(5, "runs", "fewer 99th percentiles have no useful interval")
LEAST_TAIL_SAMPLES = Limit(100, "values beyond the percentile", "a 99.9th percentile of fewer is unstable")
INDEPENDENT_VALUES = Limit(
    20.0,
    "independent values of the mean response time a run",
    "with fewer, times depend on when a run starts",
)
INDEPENDENT_TAIL = Limit(
    25.0,
    "independent values beyond the 99th percentile in all runs together",
    "with fewer it is unstable: of M/M/1 at 70 % all in runs of 10 s are, whose intervals hold the truth in "
    "0.90 of studies, and 2 % of those of 80 s, whose hold it in 0.95",
)
BUSY_SHARE = Limit(
    0.8, "of the processors", "the 99th percentile of a closed load on busier processors is unstable"
)
TIMES_DRIFT_P = Limit(0.005, "probability", "by which halves of a run differ by chance (paired t)")
TIMES_DRIFT_SHARE = Limit(0.03, "of the mean response time", "a smaller change between halves is none")
GROUP_GAP_SHARE = Limit(0.05, "of the mean", "a smaller gap between two groups of runs does not matter")
GROUP_GAP_SD = Limit(4.0, "standard deviations within the groups", "least gap between groups of many runs")
GROUP_GAP_SD_OF_FEW = Limit(
    {4: 13.4, 5: 7.7, 6: 5.9, 7: 4.8, 8: 4.1},
    "standard deviations within the groups",
    "few runs cluster by chance: with these limits in 4 % of levels (simulated), and in less than 1 % if "
    "runs differ by 2 % or less, since the gap must be a real one too",
)

ROWS = (
    Rule("not-steady", "statistics", "SUSPECT", limits=ALL_TESTS),
    Rule("times-not-steady", "statistics", "SUSPECT", limits=(TIMES_DRIFT_P, TIMES_DRIFT_SHARE, LEAST_RUNS)),
    Rule("too-short", "statistics", "SUSPECT", limits=(INDEPENDENT_VALUES,)),
    Rule("two-groups", "statistics", "SUSPECT", limits=(GROUP_GAP_SD_OF_FEW, GROUP_GAP_SD, GROUP_GAP_SHARE)),
    Rule("noisy-repeats", "statistics", "SUSPECT"),
)
